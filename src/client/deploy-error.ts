const CODES = {
  no_folder: 'Name the folder that holds your site.',
  no_files: 'Check the folder, and what its .gitignore and .aloftignore leave out.',
  too_many_files: 'Leave out what the site does not need with an .aloftignore file.',
  outside: 'Put a copy of the files into the folder, or leave the link out with an .aloftignore file.',
  unreadable: 'Check the rights on it, or leave it out with an .aloftignore file.',
  bad_name: 'Rename it, or leave it out with an .aloftignore file.',
  changed: 'Wait until nothing writes to the folder, and deploy again.',
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
