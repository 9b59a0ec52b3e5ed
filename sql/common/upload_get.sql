-- The open upload of a name, with what its submission knows of it.
SELECT upload.seq, upload.bytes, submission.token, submission.slot
FROM upload JOIN submission ON submission.account_id = upload.account_id AND submission.seq = upload.seq
WHERE upload.account_id = $1 AND upload.name = $2
