import type { SandboxBind, SandboxRun } from '#core/ports/sandbox.ts'
import type { ToolName, Tools } from '../tools.ts'
import { FD } from './bwrap-args.ts'
import { runView } from './run-view.ts'
import { need } from './start-argv.ts'
import type { SystemView, ViewEntry } from './system-view.ts'

/** What a sandbox without bubblewrap is made with. */
export const FOR_NAMESPACES: readonly ToolName[] = [
  ...([
    'bash',
    'env',
    'mkdir',
    'mount',
    'pivot_root',
    'rmdir',
    'setpriv',
    'sh',
    'umount',
    'unshare',
  ] as const),
]

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

/**
 * The first process of the sandbox: lays out what the run sees, puts away the rest, and starts the program as a user
 * without any privilege, in a user namespace below its own in which no further one can be made. It is constant; all
 * that belongs to a run comes through a descriptor, each text ended by a zero byte, and is never read as a script.
 */
export const SETUP = `set -euf
read -r first rest < /proc/self/stat
printf '{ "child-pid": %s }\\n' "$first" >&${FD.status}
mapfile -d '' -t all <&${FD.args}
exec ${FD.args}<&-
next=0
take() { printf -v "$1" %s "\${all[next]}"; next=$((next + 1)); }
list() { local -n of=$1; local n; take n; of=("\${all[@]:next:n}"); next=$((next + n)); }
for name in env mkdir mount pivot_root rmdir setpriv umount unshare ip root filtered count; do take "$name"; done
"$mount" -n -t tmpfs -o mode=755,nosuid,nodev,size=4m root "$root"
"$mkdir" "$root/proc" "$root/dev" "$root/.old"
"$mount" -n -t proc -o nosuid,nodev,noexec proc "$root/proc"
"$mount" -n -t tmpfs -o mode=755,nosuid,noexec,size=1m dev "$root/dev"
"$mkdir" "$root/dev/shm"
for device in ${DEVICES.join(' ')}; do
  : > "$root/dev/$device"
  "$mount" -n --bind "/dev/$device" "$root/dev/$device"
done
ends=(fd stdin stdout stderr)
targets=(/proc/self/fd /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2)
for i in 0 1 2 3; do "$env" ln -s "\${targets[i]}" "$root/dev/\${ends[i]}"; done
writable=("$root/dev/shm" "$root/tmp")
while [ "$count" -gt 0 ]; do
  count=$((count - 1))
  take is; take a; take b; take c
  case "$is" in
    folder) [ -d "$root$a" ] || "$mkdir" -m 755 "$root$a" ;;
    link) "$env" ln -s "$b" "$root$a" ;;
    memory)
      [ -d "$root$a" ] || "$mkdir" -m 755 "$root$a"
      # A file takes a page of the machine's memory even if it is empty.
      "$mount" -n -t tmpfs -o "mode=$c,size=$b,nr_inodes=$((b / 4096 + 16)),nosuid,nodev" memory "$root$a"
      writable+=("$root$a") ;;
    *)
      if [ -d "$b" ]; then [ -d "$root$a" ] || "$mkdir" -m 755 "$root$a"; else : > "$root$a"; fi
      if [ "$is" = writable ]; then
        "$mount" -n --rbind "$b" "$root$a"
        writable+=("$root$a")
      else
        # Two steps in one, which fails in the second where the mount has flags that must stay; see below.
        "$mount" -n -o rbind,ro,nosuid "$b" "$root$a" 2> /dev/null || "$mount" -n --rbind "$b" "$root$a"
      fi ;;
  esac
done
# Nothing is written to but what is meant to be, mounts within mounts included; flags that are set must stay so.
while read -r _ _ _ _ where flags rest; do
  printf -v where %b "$where"
  case "$where" in "$root" | "$root"/dev | "$root"/proc | "$root"/dev/*) continue ;; "$root"/*) ;; *) continue ;; esac
  for each in "\${writable[@]}"; do case "$where" in "$each" | "$each"/*) continue 2 ;; esac; done
  case ",$flags," in *,ro,*) continue ;; esac
  "$mount" -n -o "remount,bind,ro,nosuid,\${flags#rw,}" "$where"
done < /proc/self/mountinfo
if [ -n "$ip" ]; then "$ip" link set lo up; fi
cd "$root"
"$pivot_root" . .old
"$umount" -n -l /.old
"$rmdir" /.old
"$mount" -n -o remount,bind,ro,nosuid,noexec /dev
"$mount" -n -o remount,bind,ro,nosuid,nodev /
echo 1 > /proc/sys/user/max_user_namespaces
take cwd
list variables
list argv
cd "$cwd"
filter=()
if [ -n "$filtered" ]; then filter=(--seccomp-filter "/proc/self/fd/${FD.seccomp}"); fi
set +e
(
  exec ${FD.status}>&-
  exec "$env" -i -- "\${variables[@]}" "PWD=$cwd" "$unshare" --user --map-user=1000 --map-group=1000 --keep-caps -- \\
    "$setpriv" --ambient-caps=-all --inh-caps=-all --bounding-set=-all --no-new-privs "\${filter[@]}" -- "\${argv[@]}"
)
code=$?
printf '{ "exit-code": %s }\\n' "$code" >&${FD.status}
exit "$code"
`

/** The program that makes the sandbox, and its arguments, which tell nothing of the run. */
export const unshareArgv = (
  tools: Tools,
  { network }: Pick<SandboxRun, 'network'>,
  { setup }: Pick<SystemView, 'setup'>,
): readonly string[] => [
  // It ends with the platform, and its child with it. A new user namespace of one's own leaves the signal as it is.
  ...[need(tools, 'setpriv'), '--pdeathsig', 'KILL', '--'],
  ...[need(tools, 'unshare'), '--user', '--map-root-user', '--mount', '--propagation', 'private'],
  ...['--pid', '--ipc', '--uts', '--cgroup', ...(network === 'none' ? ['--net'] : [])],
  ...['--fork', '--kill-child=KILL', '--', need(tools, 'bash'), '-p', setup],
]

const textsOf = (entry: ViewEntry): readonly string[] => {
  switch (entry.is) {
    case 'bind':
      return [entry.writable ? 'writable' : 'bind', entry.inside, entry.host, '']
    case 'link':
      return ['link', entry.inside, entry.to, '']
    case 'folder':
      return ['folder', entry.inside, '', '']
    case 'memory':
      return ['memory', entry.inside, String(entry.bytes), entry.mode]
  }
}

/** What belongs to the run, as the first process of the sandbox reads it. */
export function unshareTexts(
  run: Omit<SandboxRun, 'binds'>,
  binds: readonly SandboxBind[],
  { view, tools, filtered }: { view: SystemView; tools: Tools; filtered: boolean },
): readonly string[] {
  const entries = [...view.entries, ...runView(run, binds, view)]
  const variables = Object.entries(run.env).map(([name, value]) => `${name}=${value}`)
  return [
    ...(['env', 'mkdir', 'mount', 'pivot_root', 'rmdir', 'setpriv', 'umount', 'unshare'] as const).map(
      (name) => need(tools, name),
    ),
    ...[run.network === 'none' ? (tools.ip ?? '') : '', view.root, filtered ? 'yes' : ''],
    ...[String(entries.length), ...entries.flatMap(textsOf)],
    ...[run.cwd, String(variables.length), ...variables, String(run.argv.length), ...run.argv],
  ]
}
