"""Cuts the power of a mounted ext4: nothing more reaches the disk, not even its journal (NOLOGFLUSH)."""
import fcntl
import os
import struct
import sys

EXT4_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32)
NO_LOG_FLUSH = 2

folder = os.open(sys.argv[1], os.O_RDONLY)
fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
