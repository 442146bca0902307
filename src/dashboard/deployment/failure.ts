/** What to do about a build that failed, by its code; where nothing more is known, the log says it. */
const HINTS: Readonly<Record<string, string>> = {
  build_failed:
    'The last lines of the log say what the build stumbled over. Run the same command on your machine.',
  command_failed:
    'The last lines of the log say why. Run the same command on your machine with the same files.',
  install_failed:
    'A package could not be installed. Check that package.json and the lock file belong together, and that private packages have their token.',
  missing_output:
    'The build ended well but left nothing where it was looked for. Name the folder it writes to as the output directory in the build settings.',
  missing_script: 'Add the script to package.json, or name another build command in the build settings.',
  missing_entry: 'Name the file that is to be run, or take the build out of the configuration.',
  missing_dockerfile: 'Put a Dockerfile into the root of the project, or choose another way to build it.',
  nothing_to_build: 'Deploy the folder that holds the site, or set the root directory in the build settings.',
  no_functions: 'The files match no function. Check the pattern in the configuration.',
  invalid_config: 'Mend the configuration file, then deploy again.',
  invalid_routes: 'Mend the routes in the configuration file, then deploy again.',
  invalid_root_directory: 'The files have no such folder. Change the root directory in the build settings.',
  invalid_node_version:
    'Choose a version that this installation has, in the build settings or in package.json.',
  build_timeout:
    'Make the build shorter: cache what is downloaded, or build on your machine and deploy the result.',
  out_of_memory:
    'The build needed more memory than it may have. Build fewer things at once, or ask whoever operates the installation for more.',
  disk_full: 'The disk of the installation is full. Tell whoever operates it, then deploy again.',
  build_aborted: 'It was interrupted by restarts of the installation. Deploy again.',
  build_ignored: 'The ignore command of the project said that there is nothing to build.',
  toolchain_unavailable: 'Tell whoever operates the installation; `aloft doctor` says what is missing.',
  docker_unavailable: 'Tell whoever operates the installation: containers are not switched on.',
  start_failed:
    'It was built but did not come up. It has to listen on the port that PORT names, within its time; the log says what it wrote.',
  internal_error: 'Deploy again. If it fails once more, tell whoever operates the installation.',
}

export const hintFor = (code: string | undefined): string =>
  HINTS[code ?? ''] ?? 'The last lines of the log say more.'
