const CODES = {
  no_folder: 'Pass the folder that contains your site.',
  no_files: 'Check the folder, and what its .gitignore, .vercelignore and .aloftignore exclude.',
  too_many_files: 'Exclude files that the site does not need with an .aloftignore file.',
  outside: 'Copy the files into the folder, or exclude the link with an .aloftignore file.',
  broken_link: 'Correct the link, or exclude it with an .aloftignore file.',
  unreadable: 'Check its permissions, or exclude it with an .aloftignore file.',
  bad_name: 'Rename it, or exclude it with an .aloftignore file.',
  changed: 'Wait until nothing writes to the folder, then deploy again.',
} as const

/** The folder cannot be deployed as it is; no answer of the installation says so. */
export class DeployError extends Error {
  readonly code: keyof typeof CODES
  readonly hint: string

  constructor(code: keyof typeof CODES, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DeployError'
    this.code = code
    this.hint = CODES[code]
  }
}
