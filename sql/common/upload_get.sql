-- The open upload of a name, with its submission's token and the key slot of its pieces.
SELECT upload.seq, upload.bytes, submission.token, payload.slot, upload.pieces
FROM upload
JOIN submission ON submission.account_id = upload.account_id AND submission.seq = upload.seq
JOIN payload ON payload.account_id = upload.account_id AND payload.seq = upload.seq
WHERE upload.account_id = $1 AND upload.name = $2
