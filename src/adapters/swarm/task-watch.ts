import { setTimeout as pause } from 'node:timers/promises'
import type { Labels } from '../docker/engine/engine-types.ts'
import type { SwarmEngine } from './swarm-engine.ts'
import type { Task } from './swarm-types.ts'

/** All tasks of the service that the swarm still knows of, the newest first. */
type TaskListener = (tasks: readonly Task[]) => void

/** A swarm tells nobody what becomes of tasks: all that have these labels are looked at again and again, together. */
export class TaskWatch {
  readonly #swarm: Pick<SwarmEngine, 'tasks'>
  readonly #labels: Labels
  readonly #lookMs: number
  readonly #listeners = new Map<string, TaskListener>()
  #isLooking = false

  constructor(swarm: Pick<SwarmEngine, 'tasks'>, labels: Labels, lookMs: number) {
    this.#swarm = swarm
    this.#labels = labels
    this.#lookMs = lookMs
  }

  /** Until the answer is called. While the manager does not answer nothing is heard. */
  follow(service: string, listener: TaskListener): () => void {
    this.#listeners.set(service, listener)
    if (!this.#isLooking) void this.#look()
    return () => this.#listeners.delete(service)
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#listeners.size > 0) {
      // A service of which nothing is found must have been there before it was asked for.
      const followed = [...this.#listeners]
      const found = await this.#swarm.tasks(this.#labels).catch(() => undefined)
      if (found) {
        const byService = Map.groupBy(found, ({ ServiceID }) => ServiceID)
        for (const [service, listener] of followed) {
          const tasks = (byService.get(service) ?? []).toSorted((a, b) =>
            a.CreatedAt < b.CreatedAt ? 1 : -1,
          )
          if (this.#listeners.get(service) === listener) listener(tasks)
        }
      }
      await pause(this.#lookMs)
    }
    this.#isLooking = false
  }
}
