import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { listDeployments } from '#contract/api/deployment.ts'
import { listDomains } from '#contract/api/domain.ts'
import { listProjects } from '#contract/api/project.ts'
import { type Account, useAccounts, useParam, usePersonal } from '../api/account.tsx'
import { read } from '../api/query.ts'
import { sourceOf } from '../project/source.ts'
import { NewTeamDialog } from '../team/new-team-dialog.tsx'
import { classes } from '../ui/classes.ts'
import { Icon } from '../ui/icon.tsx'
import { commandsOf } from './commands.ts'
import { type Command, matching } from './matching.ts'
import { Shortcuts } from './shortcuts.tsx'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** What a key asks for, unless it is typed into something. */
function askedBy(event: KeyboardEvent): 'palette' | 'search' | 'shortcuts' | undefined {
  if (event.key.toLowerCase() === 'k' && (isMac ? event.metaKey : event.ctrlKey)) return 'palette'
  const isTyped =
    event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null
  if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return undefined
  return event.key === '/' ? 'search' : event.key === '?' ? 'shortcuts' : undefined
}

/** The page's own field to search in, if it has one. */
const searchField = (): HTMLInputElement | undefined =>
  document.querySelector<HTMLInputElement>('main input[type=search]') ?? undefined

/** Finds any page or thing by typing: Ctrl+K, or ⌘K. `/` goes to the search of the page, `?` tells the keys. */
export function CommandPalette({ account }: { account: Account | undefined }) {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | 'team'>()
  const navigate = useNavigate()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const asked = askedBy(event)
      if (asked === undefined) return
      event.preventDefault()
      const field = asked === 'search' ? searchField() : undefined
      if (field === undefined) setOpen(asked === 'shortcuts' ? 'shortcuts' : 'palette')
      else {
        field.focus()
        field.select()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen('palette')}
        className="flex w-full items-center gap-2 rounded-lg border border-line bg-bg px-2.5 py-1.5 text-sm text-soft hover:text-fg"
      >
        <Icon name="search" />
        <span className="flex-1 text-left">Search…</span>
        <kbd className="text-xs">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {open === 'palette' && (
        <Palette account={account} onNewTeam={() => setOpen('team')} onClose={() => setOpen(undefined)} />
      )}
      {open === 'team' && (
        <NewTeamDialog
          onClose={() => setOpen(undefined)}
          onMade={(slug) => void navigate({ to: '/a/$account', params: { account: slug } })}
        />
      )}
      {open === 'shortcuts' && <Shortcuts isMac={isMac} onClose={() => setOpen(undefined)} />}
    </>
  )
}

/** By its host, and found by its id, its project, its branch and its commit as well. */
const deploymentOf = ({
  uid,
  url,
  name,
  meta,
}: {
  readonly uid: string
  readonly url: string | null
  readonly name: string
  readonly meta: Readonly<Record<string, string>>
}) => {
  const { branch = '', commit = '', message = '' } = sourceOf(meta)
  const words = [uid, name, branch, commit, message].join(' ').toLowerCase()
  return { id: uid, label: url?.split('.')[0] ?? uid, words }
}

function Palette({
  account,
  onNewTeam,
  onClose,
}: {
  account: Account | undefined
  onNewTeam: () => void
  onClose: () => void
}) {
  const navigate = useNavigate()
  const { all, user } = useAccounts()
  const own = usePersonal()
  const box = useRef<HTMLDialogElement>(null)
  const list = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const search = text.trim()
  // Without a word these are the newest; a word is looked for by the server, among all of them.
  const { data } = useQuery({
    ...read(account ?? own, 'project', listProjects, {
      query: { limit: 8, ...(search !== '' && { search }) },
    }),
    placeholderData: (before) => before,
  })
  const project = useParam('project')
  // What is not asked for by name is looked for among the newest.
  const isSearching = search.length > 1 && account !== undefined
  const { data: newest } = useQuery({
    ...read(account ?? own, 'deployment', listDeployments, { query: { limit: 100 } }),
    enabled: isSearching,
  })
  const { data: owned } = useQuery({
    ...read(account ?? own, 'domain', listDomains, { query: { limit: 100 } }),
    enabled: isSearching,
  })
  const found = matching(
    commandsOf({
      account,
      accounts: all,
      project: project === '' ? undefined : project,
      projects: account === undefined ? [] : (data?.projects ?? []).map(({ name }) => name),
      deployments: isSearching ? (newest?.deployments ?? []).map(deploymentOf) : [],
      domains: isSearching ? (owned?.domains ?? []).map(({ name }) => name) : [],
      operator: user.operator,
      onNewTeam,
    }),
    search,
  )
  const chosen = found[Math.min(at, found.length - 1)]

  useEffect(() => {
    if (box.current?.open === false) box.current.showModal()
  }, [])
  useEffect(() => {
    if (chosen !== undefined)
      document.getElementById(`${list}-${chosen.id}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, list])

  const run = (command: Command | undefined) => {
    if (command === undefined) return
    box.current?.close()
    // The dialog tells it later, and whoever asks for the palette before that would see it close.
    onClose()
    if ('link' in command) void navigate(command.link)
    else if ('href' in command) location.assign(command.href)
    else command.run()
  }

  // Not within the side, which is not there on a narrow screen.
  return createPortal(
    <dialog
      ref={box}
      aria-label="Command menu"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) box.current.close()
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, found.length))
        else if (event.key === 'ArrowUp') setAt((at - 1 + found.length) % Math.max(1, found.length))
        else if (event.key === 'Enter') run(chosen)
        else return
        event.preventDefault()
      }}
      className="mx-auto mt-[12vh] mb-auto w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-2xl border border-line bg-panel p-0 text-fg shadow-2xl"
    >
      <input
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={chosen && `${list}-${chosen.id}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="Search pages, projects, settings…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        className="w-full border-b border-line bg-transparent px-4 py-3.5 outline-none placeholder:text-soft"
      />
      <div id={list} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto p-1.5">
        {found.map((command) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which keeps the focus
          <div
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={command === chosen}
            onClick={() => run(command)}
            onMouseMove={() => setAt(found.indexOf(command))}
            className={classes(
              'flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm',
              command === chosen && 'bg-hover',
            )}
          >
            <Icon name={command.icon} className="size-4 text-soft" />
            <span className="min-w-0 flex-1 truncate">{command.label}</span>
            <span className="text-xs text-soft">{command.group}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className="px-4 pb-5 text-center text-sm text-soft">
          No results.
        </p>
      )}
    </dialog>,
    document.body,
  )
}
