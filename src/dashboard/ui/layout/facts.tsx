import type { ReactNode } from 'react'

/** What is known of one thing: names on the left, values on the right. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[minmax(8rem,max-content)_1fr]">
    {facts.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-soft max-sm:mt-1">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
)
