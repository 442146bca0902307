import type { ReactNode } from 'react'
import { Icon, type IconName } from '../icon.tsx'

/** Where nothing is yet: what would be here, and how it gets here. */
export const Empty = ({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className="flex flex-col items-center px-6 py-12 text-center">
    <span className="mb-4 rounded-full bg-hover p-3 text-soft">
      <Icon name={icon} className="size-6" />
    </span>
    <h2 className="font-semibold">{title}</h2>
    {children !== undefined && <div className="mt-1 w-full max-w-md text-sm text-soft">{children}</div>}
    {action !== undefined && <div className="mt-5">{action}</div>}
  </div>
)
