/** What to do about a build that failed, by its code; where nothing more is known, the log says it. */
const HINTS: Readonly<Record<string, string>> = {
  build_failed: 'See the last lines of the build log. Try running the same build command on your machine.',
  command_failed:
    'See the last lines of the build log. Try running the same command on your machine with the same files.',
  install_failed:
    'A package couldn’t be installed. Check that the list of packages and the lock file match, and that private packages have a token.',
  missing_output:
    'The build succeeded, but its output wasn’t found. Set the output directory in the build settings to the folder it writes to. In a monorepo, deploy the app’s folder (`aloft deploy apps/web`), or set it as the root directory.',
  missing_script: 'Add the script to package.json, or set a different build command in the build settings.',
  missing_entry: 'Specify an existing entry file, or remove the build from the configuration.',
  unknown_program:
    'Nothing was published, because these files could be source code that visitors must not see. Change them or the settings, then deploy again.',
  missing_function: 'Check that the file of the function exists and isn’t excluded.',
  unreferenced_build_specifications:
    'Correct the pattern in the `builds` of vercel.json, or remove it. Upper and lower case matter.',
  invalid_output:
    'Update the framework or its adapter to a newer version, or report this to the authors of the builder.',
  mixed_builds: 'Remove one of the `builds` from vercel.json.',
  invalid_dockerfile: 'Fix the Dockerfile, then deploy again.',
  context_too_large: 'List what the image doesn’t need in a .dockerignore file, then deploy again.',
  bad_file: 'Rename the file, then deploy again.',
  quota_exceeded: 'Delete deployments that you no longer need, or ask your operator for a higher limit.',
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

const NO_VARIABLE =
  'The environment variable $1 isn’t set for this build. Add it with `aloft env add $1` or in the project’s settings, for the environment you deploy to.'

/** The commonest causes, by what tools say about them; the first that matches is the most precise. */
const CAUSES: readonly { readonly said: RegExp; readonly hint: string }[] = [
  {
    said: /Unsupported URL Type "workspace:"|ERR_PNPM_WORKSPACE_PKG_NOT_FOUND|: Workspace not found|Workspace dependency .+ not found/,
    hint: 'The app depends on another package of its workspace, which isn’t among the deployed files. Deploy the whole workspace, and set the project’s root directory to the app’s folder.',
  },
  {
    said: /(?:cannot find (?:module|package)|can't resolve|could not resolve|failed to resolve import) ['"]\.{0,2}\//i,
    hint: 'An imported file wasn’t found. Check its path, including upper and lower case, and that .gitignore, .vercelignore or .aloftignore doesn’t exclude it.',
  },
  {
    said: /(?:cannot find (?:module|package)|can't resolve|could not resolve|failed to resolve import) ['"]((?:@[\w.-]+\/)?[\w.-]+)/i,
    hint: 'The package $1 isn’t installed. Add it with `npm install $1` and deploy again with the changed package.json.',
  },
  {
    said: /\bsh: (?:(?:line )?\d+: )?([\w./-]+): (?:command )?not found/i,
    hint: 'The command $1 isn’t installed. Add the package that provides it to package.json, or change the build command.',
  },
  {
    said: /No matching distribution found for ([\w.-]+)/,
    hint: 'The Python package $1 wasn’t found. Check its name and version, and that the package index can be reached.',
  },
  {
    // Languages and linters say that a name is not defined of any that the code does not declare.
    said: /(?<!ReferenceError: |NameError: name ['"])\b([A-Z][A-Z\d]*_[A-Z\d_]+)\W{0,2} (?:environment variable )?(?:is|was) (?:missing|undefined|required|not (?:set|defined|found|provided))\b(?!.*\bno-undef\b)/,
    hint: NO_VARIABLE,
  },
  {
    said: /\b[Mm]issing (?:required )?(?:environment |env )(?:variable|var)s?:? \W?([A-Z][A-Z\d_]+)\b/,
    hint: NO_VARIABLE,
  },
  {
    said: /heap out of memory/i,
    hint: 'Node.js ran out of memory. Set the environment variable NODE_OPTIONS to --max-old-space-size=4096, or ask your operator for a higher limit.',
  },
  {
    said: /\berror TS\d+|^\W*type error:/i,
    hint: 'Type errors fail this build. Find them on your machine with `npx tsc --noEmit`.',
  },
  {
    said: /\bERESOLVE\b/,
    hint: 'Two packages require different versions of the same dependency. Update them, or set legacy-peer-deps=true in an .npmrc file.',
  },
  {
    said: /ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|lockfile would have been modified|are in sync/i,
    hint: 'The lock file doesn’t match package.json. Install on your machine and deploy the updated lock file.',
  },
  {
    said: /\bEBADENGINE\b|ERR_PNPM_UNSUPPORTED_ENGINE|engine "node" is incompatible/i,
    hint: 'A package requires a different Node.js version. Choose it in the project settings, or under “engines” in package.json.',
  },
]

/** Failures of a command that was run: only what it printed tells one from another. */
const GENERAL: ReadonlySet<string | undefined> = new Set([
  undefined,
  'build_failed',
  'command_failed',
  'install_failed',
])

/** What to try, by the code of the failure and the lines of the log that say why. */
export function buildHint(code: string | undefined, lines: readonly string[] = []): string {
  if (GENERAL.has(code))
    for (const { said, hint } of CAUSES)
      for (const line of lines) {
        const match = said.exec(line)
        if (match !== null) return hint.replaceAll('$1', match[1] ?? '')
      }
  return HINTS[code ?? ''] ?? 'See the last lines of the build log.'
}

/** Whether somebody chose that nothing comes of a build, by its code: it is over, and did not fail. */
export const isCancelled = (code: string | undefined): boolean =>
  code === 'canceled' || code === 'build_ignored'
