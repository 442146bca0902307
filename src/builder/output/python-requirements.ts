/** Where the requirements of Python functions are installed, relative to the root directory; in every archive. */
export const PYTHON_VENDOR = '_vendor'

/** Installs a `requirements.txt` of the root directory for the functions in it. */
export const installRequirements = (python: string, file = 'requirements.txt'): readonly string[] => [
  python,
  '-m',
  'pip',
  'install',
  '--disable-pip-version-check',
  '--no-warn-script-location',
  '--no-compile',
  '--upgrade',
  '--target',
  PYTHON_VENDOR,
  '--requirement',
  file,
]
