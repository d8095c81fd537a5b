-- What is requested anew is not always replaced by another document.

COMMENT ON COLUMN documents.state IS
    'requested, refused: another system has it, or has refused it. cancelled: it was taken back there. replaced: void for good; another '
    'one was requested if the order still lacked it.';
