import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { listProjects } from '#contract/api/project.ts'
import { type Account, useAccounts, usePersonal } from '../api/account.tsx'
import { read } from '../api/query.ts'
import { classes } from '../ui/classes.ts'
import { Icon } from '../ui/icon.tsx'
import { type Command, commandsOf, matching } from './commands.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** Finds any page or thing by typing: Ctrl+K, or ⌘K. */
export function CommandPalette({ account }: { account: Account | undefined }) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(isMac ? event.metaKey : event.ctrlKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex w-full items-center gap-2 rounded-lg border border-line bg-bg px-2.5 py-1.5 text-sm text-soft hover:text-fg"
      >
        <Icon name="search" />
        <span className="flex-1 text-left">Search…</span>
        <kbd className="text-xs">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {open && <Palette account={account} onClose={() => setOpen(false)} />}
    </>
  )
}

function Palette({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
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
  const projects = account === undefined ? [] : (data?.projects ?? []).map(({ name }) => name)
  const found = matching(commandsOf({ account, accounts: all, projects, operator: user.operator }), search)
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
    if ('link' in command) void navigate(command.link)
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
