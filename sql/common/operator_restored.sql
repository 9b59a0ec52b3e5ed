-- Nobody signs in with what a backup held: since then passwords may have been taken away.
UPDATE operator SET password = NULL, link = NULL, link_until = NULL, code_secret = NULL, code_step = NULL, version = version + 1
