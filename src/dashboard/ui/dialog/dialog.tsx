import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../control/button.tsx'

/** What can be filled in. The browser itself would begin with the button that closes. */
const FIELD =
  ':is(input, textarea):read-write:not([type=hidden]), select:enabled, :is([type=checkbox], [type=radio]):enabled'

/** A window above the page: the browser keeps the focus in it, closes it by Escape and gives the focus back. */
export function Dialog({
  title,
  about,
  wide = false,
  onClose,
  children,
}: {
  title: ReactNode
  about?: ReactNode
  wide?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const box = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const dialog = box.current
    if (dialog === null || dialog.open) return
    dialog.showModal()
    dialog.querySelector<HTMLElement>(FIELD)?.focus()
  }, [])
  // Not where it is used: what stands around that may be hidden on a narrow screen.
  return createPortal(
    <dialog
      ref={box}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) box.current.close()
      }}
      onKeyDown={(event) => event.stopPropagation()}
      className={`m-auto w-[calc(100vw-2rem)] rounded-2xl border border-line bg-panel p-0 text-fg shadow-2xl ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <div className="p-5">
        <header className="mb-4 flex items-start justify-between gap-3">
          <div>
            <h2 id={heading} className="text-lg font-semibold">
              {title}
            </h2>
            {about !== undefined && <p className="mt-1 text-sm text-soft">{about}</p>}
          </div>
          <IconButton icon="close" label="Close" onClick={() => box.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}
