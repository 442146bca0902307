import { Link, type LinkProps } from '@tanstack/react-router'

/** Where there are more than fit, the current one is seen: on a phone the last ones are beyond the edge. */
export function showCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector('[aria-current=page]')?.getBoundingClientRect()
  if (nav === null || current === undefined) return
  const { left, width } = nav.getBoundingClientRect()
  nav.scrollLeft += current.left - left - (width - current.width) / 2
}

/** Pages of one thing, side by side. */
export const Tabs = ({
  label,
  tabs,
}: {
  label: string
  tabs: readonly ({ readonly label: string } & LinkProps)[]
}) => (
  <nav
    ref={showCurrent}
    aria-label={label}
    className="-mx-4 overflow-x-auto overflow-y-hidden border-b border-line px-4 sm:mx-0 sm:px-0"
  >
    <ul className="flex gap-1">
      {tabs.map(({ label, ...link }) => (
        <li key={label}>
          <Link
            {...link}
            className="-mb-px block border-b-2 border-transparent px-3 py-2.5 text-sm whitespace-nowrap text-soft hover:text-fg aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-fg"
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
