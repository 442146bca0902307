import { OutLink } from '../ui/control/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { sourceOf } from './source.ts'

/** Where the files of a deployment came from: the commit's message, its branch and its hash. */
export function SourceNote({ meta }: { meta: Readonly<Record<string, string>> }) {
  const { branch, commit, message, isDirty, link } = sourceOf(meta)
  if (branch === undefined && commit === undefined && message === undefined)
    return <span className="text-soft">No Git metadata</span>
  return (
    <span className="block min-w-0">
      {message !== undefined && <span className="block truncate">{message}</span>}
      <span className="flex min-w-0 items-center gap-2 text-soft">
        {branch !== undefined && (
          <span className="flex min-w-0 items-center gap-1">
            <Icon name="alias" className="size-3.5" />
            <span className="truncate">{branch}</span>
          </span>
        )}
        {commit !== undefined &&
          (link === undefined ? (
            <code className="font-mono text-xs">{commit.slice(0, 7)}</code>
          ) : (
            <OutLink href={link} className="underline hover:text-fg">
              <code className="font-mono text-xs">{commit.slice(0, 7)}</code>
            </OutLink>
          ))}
        {isDirty && <span className="text-xs">uncommitted changes</span>}
      </span>
    </span>
  )
}
