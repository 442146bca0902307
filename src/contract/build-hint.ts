/** What to do about a build that failed, by its code; where nothing more is known, the log says it. */
const HINTS: Readonly<Record<string, string>> = {
  build_failed: 'See the last lines of the build log. Try running the same build command on your machine.',
  command_failed:
    'See the last lines of the build log. Try running the same command on your machine with the same files.',
  install_failed:
    'A package couldn’t be installed. Check that package.json and the lock file match, and that private packages have a token.',
  missing_output:
    'The build succeeded, but its output wasn’t found. Set the output directory in the build settings to the folder it writes to.',
  missing_script: 'Add the script to package.json, or set a different build command in the build settings.',
  missing_entry: 'Specify an existing entry file, or remove the build from the configuration.',
  missing_dockerfile: 'Add a Dockerfile to the root of the project, or choose a different builder.',
  nothing_to_build:
    'Deploy the folder that contains the site, or set the root directory in the build settings.',
  no_functions: 'No files match the functions pattern. Check it in the configuration.',
  invalid_config: 'Fix the configuration file, then deploy again.',
  invalid_routes: 'Fix the routes in the configuration file, then deploy again.',
  invalid_root_directory: 'The root directory doesn’t exist in the source. Change it in the build settings.',
  invalid_node_version: 'Choose a supported Node.js version in the project settings or in package.json.',
  build_timeout: 'Make the build faster, or build on your machine and deploy the output.',
  out_of_memory:
    'The build ran out of memory. Reduce its parallelism, or ask your operator for a higher limit.',
  disk_full: 'The server’s disk is full. Contact your operator, then deploy again.',
  build_aborted: 'The build was interrupted by a server restart. Deploy again.',
  canceled: 'Redeploy to build the same files again.',
  build_ignored: 'The project’s ignored build step skipped this build.',
  toolchain_unavailable: 'Contact your operator. `aloft operator doctor` shows what’s missing.',
  docker_unavailable: 'Contact your operator. Containers aren’t enabled on this installation.',
  start_failed:
    'The server didn’t start in time. It must listen on the port in the PORT environment variable. The log shows its output.',
  internal_error: 'Deploy again. If it still fails, contact your operator.',
}

export const buildHint = (code: string | undefined): string =>
  HINTS[code ?? ''] ?? 'See the last lines of the build log.'

/** Whether somebody chose that nothing comes of a build, by its code: it is over, and did not fail. */
export const isCancelled = (code: string | undefined): boolean =>
  code === 'canceled' || code === 'build_ignored'
