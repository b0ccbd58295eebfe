;;; A page break is an old custom.

(provide 'page)
