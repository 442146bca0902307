/** Settings that hold for every run of git, whatever a repository says itself. */
const ALWAYS: Readonly<Record<string, string>> = {
  // What a repository brings along is never run.
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.alternateRefsCommand': 'true',
  'core.symlinks': 'false',
  'core.attributesFile': '/dev/null',
  // What comes stays the pack that it came as. Taken apart, as git does it with few objects, each that was sent as a small
  // difference to another is stored whole: a hundred of them take a hundred times the room of what was sent.
  'transfer.unpackLimit': '1',
  // What was answered outlasts a power cut. Git itself syncs packs, and no refs.
  'core.fsync': 'committed',
  // Bounded memory, also for what is large.
  'core.bigFileThreshold': '8m',
  'core.packedGitLimit': '256m',
  'core.deltaBaseCacheLimit': '64m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'gc.auto': '0',
  'receive.autogc': 'false',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'protocol.file.allow': 'never',
  'credential.helper': '',
  'advice.detachedHead': 'false',
  'init.defaultBranch': 'main',
}

/** The environment of a run: nothing of this process's own but where programs are. */
export function gitEnvironment(config: Readonly<Record<string, string>> = {}): Record<string, string> {
  const settings = Object.entries({ ...ALWAYS, ...config })
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  }
}
