import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Stores } from '#adapters/sql/stores.ts'
import type { Transact } from '#core/ports/transact.ts'
import { sampleAlias, sampleDeployment } from '../samples.ts'

export interface ServingRounds {
  /** Waits until it is so; rejects once a round has failed. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>
  /** Waits for so many rounds more. */
  more(count: number): Promise<void>
  /** Lets all rounds end. Rejects where one has failed. */
  stop(): Promise<{ readonly rounds: number; readonly longestMs: number }>
}

/** What serving processes do all day with deployments, names and jobs, again and again. */
export function startServingRounds(stores: Stores, transact: Transact<Stores>): ServingRounds {
  const { deployments, hosts, jobs } = stores
  const round = async () => {
    const deployment = sampleDeployment()
    const alias = sampleAlias({ deploymentId: deployment.id })
    const id = await transact(async (inside) => {
      await inside.deployments.insert(deployment, { manifest: [], sealedEnv: '' })
      assert.equal(await inside.hosts.claimAlias(alias), true)
      return inside.jobs.enqueue({ kind: deployment.id, payload: {}, runAt: 0 })
    })
    // What the stores of an earlier version know of it may be less.
    assert.equal((await deployments.find(deployment.id))?.host, deployment.host)
    assert.deepEqual(
      (await hosts.ofDeployment(deployment.id)).map(({ host }) => host),
      [alias.host],
    )
    const claim = { kinds: [deployment.id], worker: 'a', now: 1, leaseUntil: 1000, limit: 1 }
    const claimed = await jobs.claim(claim)
    assert.deepEqual(
      claimed.map((job) => job.id),
      [id],
    )
    assert.equal(await jobs.complete(id, 'a'), true)
  }
  let [rounds, longestMs, isOver] = [0, 0, false]
  const failures: unknown[] = []
  const keepOn = async () => {
    for (; !isOver; rounds++) {
      const began = performance.now()
      await round()
      longestMs = Math.max(longestMs, Math.round(performance.now() - began))
    }
  }
  const serving = Array.from({ length: 4 }, () =>
    keepOn().catch((error: unknown) => void failures.push(error)),
  )
  const until: ServingRounds['until'] = async (isSo) => {
    while (!(await isSo())) {
      assert.deepEqual(failures, [])
      await setTimeout(5)
    }
  }
  return {
    until,
    more(count) {
      const from = rounds
      return until(() => rounds >= from + count)
    },
    async stop() {
      isOver = true
      await Promise.all(serving)
      assert.deepEqual(failures, [])
      return { rounds, longestMs }
    },
  }
}
