;;; bactrian-memory.el --- where memory goes, at each line  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT
;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; M-x bactrian-memory-mode in an OCaml file shows at the end of each line what
;; `bactrian prof annotate --lsp' says of it.

;;; Code:

(require 'json)
(require 'subr-x)

(defgroup bactrian-memory nil "Where memory goes." :group 'tools)

(defcustom bactrian-memory-command "bactrian"
  "The command." :type 'string)

(defcustom bactrian-memory-profile "bactrian.prof"
  "The recording, relative to the folder of the file."
  :type 'string :safe #'stringp)

(defcustom bactrian-memory-options nil
  "Options of prof annotate, such as (\"--show\" \"live\")."
  :type '(repeat string))

(defun bactrian-memory--documents ()
  "What the command prints about this file, as lists."
  (let ((words `("prof" "annotate" "--lsp" ,@bactrian-memory-options
                 ,(expand-file-name bactrian-memory-profile)
                 ,(file-name-nondirectory buffer-file-name)))
        (command bactrian-memory-command))
    (with-temp-buffer
      (unless (eq 0 (apply #'call-process command nil t nil words))
        (user-error "%s" (string-trim (buffer-string))))
      (goto-char (point-min))
      (let ((json-array-type 'list))
        (cdr (assq 'documents (json-read)))))))

(defun bactrian-memory--show (hint)
  "Put the label of HINT at the end of its line."
  (save-restriction
    (widen)
    (save-excursion
      (goto-char (point-min))
      (when (zerop (forward-line (cdr (assq 'line (cdr (assq 'position hint))))))
        (let ((overlay (make-overlay (line-end-position) (line-end-position))))
          (overlay-put overlay 'bactrian-memory t)
          (overlay-put overlay 'after-string
                       (propertize (concat "  " (cdr (assq 'label hint))) 'face 'shadow)))))))

;;;###autoload
(define-minor-mode bactrian-memory-mode
  "Show what each line allocated in the last recording."
  :lighter " Mem"
  (remove-overlays nil nil 'bactrian-memory t)
  (when bactrian-memory-mode
    (dolist (document (bactrian-memory--documents))
      (mapc #'bactrian-memory--show (cdr (assq 'inlayHints document))))))

(provide 'bactrian-memory)
;;; bactrian-memory.el ends here
