import { isCancelled } from '#contract/build/build-hint.ts'
import type { Project } from '../project.ts'

type ProjectStatus = 'failed' | 'building' | 'paused' | 'held' | 'ready' | 'empty'

type ListedProject = Pick<Project, 'id' | 'name' | 'latestDeployments' | 'paused' | 'lastRollbackTarget'>

/** How a project is, by what needs somebody most. */
export function statusOf({ latestDeployments, paused, lastRollbackTarget }: ListedProject): ProjectStatus {
  const [latest] = latestDeployments
  const state = latest?.readyState
  if (state === 'ERROR' && !isCancelled(latest?.errorCode)) return 'failed'
  if (paused) return 'paused'
  if (lastRollbackTarget !== null) return 'held'
  if (state === undefined) return 'empty'
  return state === 'READY' || state === 'ERROR' ? 'ready' : 'building'
}

export const STATUS_FILTERS = [
  { value: '', label: 'Any status' },
  { value: 'failed', label: 'Failing' },
  { value: 'building', label: 'Building' },
  { value: 'ready', label: 'Ready' },
  { value: 'held', label: 'Rolled back' },
  { value: 'paused', label: 'Paused' },
  { value: 'empty', label: 'No deployments' },
] as const

export const ORDERS = [
  { value: 'failing', label: 'Failing first' },
  { value: 'changed', label: 'Last updated' },
  { value: 'name', label: 'Name' },
  { value: 'requests', label: 'Most requests' },
] as const
export type Order = (typeof ORDERS)[number]['value']

/** Pinned ones first, then in the chosen order; what is equal stays as the server has it, newest change first. */
export function arrange<P extends ListedProject>(
  projects: readonly P[],
  {
    order,
    status,
    pinned,
    requests,
  }: {
    readonly order: Order
    readonly status: string
    readonly pinned: readonly string[]
    readonly requests: (id: string) => number
  },
): readonly P[] {
  const isPinned = ({ id }: P) => Number(pinned.includes(id))
  const isFailing = (project: P) => Number(statusOf(project) === 'failed')
  const by: Readonly<Record<Order, (a: P, b: P) => number>> = {
    failing: (a, b) => isFailing(b) - isFailing(a),
    changed: () => 0,
    name: (a, b) => a.name.localeCompare(b.name),
    requests: (a, b) => requests(b.id) - requests(a.id),
  }
  return projects
    .filter((project) => status === '' || statusOf(project) === status)
    .toSorted((a, b) => isPinned(b) - isPinned(a) || by[order](a, b))
}
