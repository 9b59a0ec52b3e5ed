-- How far the key folder was that this store went on with last; nothing before its first start.
SELECT key_epoch, key_starts FROM node WHERE id = 1
