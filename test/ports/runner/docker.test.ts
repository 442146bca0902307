import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { tagOf } from '#adapters/docker/images.ts'
import { LABEL } from '#adapters/docker/labels.ts'
import { openDocker } from '#adapters/docker/open-docker.ts'
import { dockerMissing, startEngine } from '#test/support/docker/docker.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'
import { describeImagePrograms, type ImageGround } from './image-programs-suite.ts'

if (!dockerMissing) await inOwnNamespaces(import.meta.filename)

const ground: ImageGround = {
  ...{ name: 'a Docker Engine', skip: dockerMissing, start: startEngine, open: openDocker },
  lacks: /step of a build|ONBUILD/,
  hasNoNewPrivileges: true,
  unmeasured: false,
  left: async (engine) => (await engine.containers({})).map(({ Id }) => Id),
}

describeImagePrograms(ground, (bench) => {
  it('leaves out of the image what .dockerignore says', async () => {
    const { programs, dockerfile } = bench()
    const { log } = await programs.build({
      Dockerfile: dockerfile('COPY . /all', 'RUN ls /all /all/sub'),
      '.dockerignore': '*.md\n!keep.md\nsub/secret\n',
      ...{ 'a.md': 'a', 'keep.md': 'k', 'sub/secret/x': 'x', 'sub/open': 'o' },
    })
    const listed = log.join('\n')
    assert.match(listed, /keep\.md/)
    assert.match(listed, /open/)
    assert.doesNotMatch(listed, /a\.md|^secret$/m)
  })

  it('tells what fails in a build', async () => {
    const { programs, dockerfile } = bench()
    await assert.rejects(programs.build({ Dockerfile: dockerfile('RUN echo before && exit 7') }), {
      name: 'BuildFailure',
      code: 'build_failed',
      message: /returned a non-zero code: 7/,
      run: 'bld_1',
    })
    assert.ok(programs.failedLog.includes('before'))
    await assert.rejects(programs.build({ Dockerfile: 'NONSENSE' }), { code: 'build_failed' })
    await assert.rejects(programs.build({ Dockerfile: dockerfile('ADD http://127.0.0.1/x /x') }), {
      code: 'invalid_dockerfile',
    })
  })

  it('does not let a Dockerfile take the image of another account', async () => {
    const { engine, programs, answering, dockerfile } = bench()
    const tag = tagOf(answering.id, 'dpl_1')
    const id = (await engine.image(tag))?.Id.replace('sha256:', '') ?? ''
    for (const theirs of [tag, id, id.slice(0, 12)]) {
      await assert.rejects(programs.build({ Dockerfile: `FROM ${theirs}\nRUN ls /app` }), {
        code: 'build_failed',
      })
      await assert.rejects(
        programs.build({ Dockerfile: dockerfile(`COPY --from=${theirs} /app/server.js /x`) }),
        { code: 'build_failed' },
      )
    }
  })

  it('ends what a build runs when it is aborted', async () => {
    const { engine, programs, dockerfile } = bench()
    const stopping = new AbortController()
    const building = programs.build(
      { Dockerfile: dockerfile('RUN echo begun && sleep 1000') },
      { signal: stopping.signal },
    )
    while (!programs.failedLog.includes('begun')) await pause(20)
    stopping.abort(new Error('no longer wanted'))
    await assert.rejects(building, /no longer wanted/)
    while ((await engine.containers({})).length > 0) await pause(20)
  })

  it('removes the containers of processes that are gone, and only those', async (t) => {
    const { engine, programs, answering } = bench()
    const running = await programs.run(answering)
    t.after(() => running.end())
    await running.first()
    const [theirs] = await engine.containers({ [LABEL.deployment]: 'dpl_1' })
    const Labels = { ...theirs?.Labels, [LABEL.process]: `${process.pid}.1` }
    const Image = tagOf(answering.id, 'dpl_1')
    const left = await engine.createContainer('left', { Image, Labels, Env: [], HostConfig: {} })
    await engine.start(left)
    const second = await programs.open()
    assert.equal(await engine.container(left), undefined)
    await second.close()
    assert.match(await running.get('/x'), /"port":"3000"/)
  })

  it('keeps no more images than there is room for, those used last first', async (t) => {
    const { engine, dockerfile, openOwn } = bench()
    const small = await openOwn({ imagesBytes: 5 * 2 ** 19 })
    t.after(() => small.close())
    const build = async (deploymentId: string) => {
      const files = { Dockerfile: dockerfile('COPY big /'), big: deploymentId.repeat(2 ** 20 / 8) }
      return (await small.build(files, { deploymentId })).program
    }
    const used = await build('dpl_used')
    const unused = await build('dpl_idle')
    await (await small.run(used, {}, 'dpl_used')).end()
    const last = await build('dpl_last')
    await small.docker.trim()
    assert.ok(await engine.image(tagOf(used.id, 'dpl_used')))
    assert.ok(await engine.image(tagOf(last.id, 'dpl_last')))
    assert.equal(await engine.image(tagOf(unused.id, 'dpl_idle')), undefined)
  })
})
