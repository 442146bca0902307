import { Link, type LinkProps } from '@tanstack/react-router'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { classes } from '../classes.ts'
import { Spinner } from '../feedback/spinner.tsx'
import { Icon, type IconName } from '../icon.tsx'

const LOOKS = {
  /** The one thing to do on a page. */
  primary: 'bg-accent-fill text-on-accent border-transparent hover:brightness-110',
  plain: 'bg-raised text-fg border-line hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-fg',
  danger: 'bg-raised text-bad border-line hover:bg-bad-soft',
} as const
type ButtonLook = keyof typeof LOOKS

const BASE =
  'inline-flex items-center justify-center gap-2 rounded-lg border font-medium whitespace-nowrap transition-colors disabled:opacity-50 disabled:cursor-not-allowed'
const SIZES = { small: 'h-8 px-2.5 text-sm', normal: 'h-9 px-3.5 text-sm', icon: 'size-9' } as const

interface ButtonLooks {
  readonly look?: ButtonLook
  readonly size?: keyof typeof SIZES
  readonly icon?: IconName
}

export const buttonClass = (
  { look = 'plain', size = 'normal' }: ButtonLooks = {},
  className?: string,
): string => classes(BASE, SIZES[size], LOOKS[look], className)

export const Button = ({
  look,
  size,
  icon,
  busy = false,
  className,
  children,
  ...rest
}: ButtonLooks & ButtonHTMLAttributes<HTMLButtonElement> & { busy?: boolean }) => (
  <button
    type="button"
    {...rest}
    disabled={rest.disabled || busy}
    className={buttonClass({ ...(look && { look }), ...(size && { size }) }, className)}
  >
    {busy ? <Spinner /> : icon && <Icon name={icon} />}
    {children}
  </button>
)

/** A button that is only a picture; its label is for screen readers and the tooltip. */
export const IconButton = ({
  label,
  icon,
  look = 'quiet',
  ...rest
}: { label: string; icon: IconName; look?: ButtonLook } & ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    {...rest}
    className={buttonClass({ look, size: 'icon' }, rest.className)}
  >
    <Icon name={icon} />
  </button>
)

/** Looks like a button and leads to another page of the dashboard. */
export const ButtonLink = ({
  look,
  size,
  icon,
  className,
  children,
  ...link
}: ButtonLooks & { className?: string; children?: ReactNode } & LinkProps) => (
  <Link {...link} className={buttonClass({ ...(look && { look }), ...(size && { size }) }, className)}>
    {icon && <Icon name={icon} />}
    {children}
  </Link>
)

/** Leads away from the dashboard, in a tab of its own. */
export const OutLink = ({
  href,
  children,
  className = 'text-accent hover:underline',
}: {
  href: string
  children: ReactNode
  className?: string
}) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
    {children}
    <span className="sr-only"> (opens in a new tab)</span>
  </a>
)
