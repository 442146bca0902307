import type { ReactNode } from 'react'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { formatNumber } from '../ui/text/format.ts'

/** A rule as the API shows it; whatever else it holds is shown as it is. */
interface Route {
  readonly src?: string
  readonly handle?: string
  readonly dest?: string
  readonly status?: number
  readonly methods?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly continue?: boolean
}

const SHOWN = 200

const HANDLES: Readonly<Record<string, string>> = {
  filesystem: 'Static files are checked here. The rules below apply when no file matched',
  rewrite: 'After a rewrite',
  hit: 'When a file matched',
  miss: 'When nothing matched',
  resource: 'Before the response is generated',
  error: 'When an error occurred',
}

const locationOf = ({ headers }: Route): string | undefined =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'location')?.[1]

function kindOf(route: Route): readonly [says: string, tone: Tone] {
  const { status, dest, headers } = route
  if (status !== undefined && status >= 300 && status < 400) return ['Redirect', 'accent']
  if (status !== undefined) return ['Status', status >= 400 ? 'warn' : 'neutral']
  if (dest !== undefined) return [/^https?:/.test(dest) ? 'Proxy' : 'Rewrite', 'good']
  return headers === undefined ? ['Rule', 'neutral'] : ['Headers', 'neutral']
}

/** Redirects, rewrites and headers, in the order in which they are tried. */
export const Routes = ({ routes }: { routes: readonly unknown[] }) => (
  <Card
    title="Routes"
    about="Redirects, rewrites and headers, in order of evaluation."
    flush
    {...(routes.length > SHOWN && {
      footer: `The first ${SHOWN} of ${formatNumber(routes.length)}.`,
    })}
  >
    {routes.length === 0 ? (
      <Empty icon="arrow" title="No routes">
        Requests are served by the file or function that matches their path. Add routes to aloft.json to
        change that.
      </Empty>
    ) : (
      <ol className="border-t border-line text-sm">
        {routes.slice(0, SHOWN).map((route, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules are told apart by their place
          <li key={i} className="border-b border-line px-5 py-3 last:border-b-0">
            <Rule route={route as Route} />
          </li>
        ))}
      </ol>
    )}
  </Card>
)

const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-[0.8125rem] break-all">{children}</code>
)

function Rule({ route }: { route: Route }) {
  if (route.handle !== undefined)
    return <p className="text-soft">{HANDLES[route.handle] ?? `Then ${route.handle}`}</p>
  const [says, tone] = kindOf(route)
  const to = route.dest ?? locationOf(route)
  const headers = Object.entries(route.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'location')
  const { src, dest: _dest, status, methods, headers: _headers, continue: goesOn, ...rest } = route
  return (
    <div className="space-y-1">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Badge tone={tone}>
          {says}
          {status !== undefined && ` ${status}`}
        </Badge>
        {methods !== undefined && <span className="text-soft">{methods.join(', ')}</span>}
        <Code>{src ?? 'all paths'}</Code>
        {to !== undefined && (
          <>
            <span aria-hidden="true" className="text-soft">
              →
            </span>
            <span className="sr-only">to</span>
            <Code>{to}</Code>
          </>
        )}
        {goesOn === true && <span className="text-soft">then continues</span>}
      </p>
      {headers.map(([name, value]) => (
        <p key={name} className="text-soft">
          <Code>
            {name}: {value}
          </Code>
        </p>
      ))}
      {Object.keys(rest).length > 0 && (
        <p className="text-soft">
          <Code>{JSON.stringify(rest)}</Code>
        </p>
      )}
    </div>
  )
}
