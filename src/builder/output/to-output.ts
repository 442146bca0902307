import { readCrons } from '#core/cron/read-crons.ts'
import { readImageConfig } from '#core/output/image-config.ts'
import type { Output, OutputContent, OutputFunction, Prerender, Program } from '#core/output/output.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { compileOutputRoutesInTurns } from '#core/routing/read/compile-output-routes.ts'
import type { Route } from '#core/routing/route.ts'
import { contentTypeOf } from '#core/site/content-type.ts'
import { withImages } from './image-routes.ts'
import type { Index, IndexPrerender } from './inside/job.ts'
import { programId } from './program-id.ts'

/** The output that a checked index describes, once its contents are stored. */
export async function toOutput(index: Index, stored: readonly OutputContent[]): Promise<Output> {
  const contentOf = (number: number): OutputContent => stored[number] as OutputContent
  const programs = index.programs.map(({ archive, ...rest }): Program => {
    const program = { ...rest, archive: contentOf(archive) }
    return { id: programId(program), ...program }
  })
  return {
    routes: await routesOf(index),
    files: index.files.map(({ content, name, ...file }) => ({
      ...file,
      ...(name === undefined ? {} : { contentType: contentTypeOf(name) }),
      ...contentOf(content),
    })),
    functions: index.functions.map(
      ({ path, program, prerender }): OutputFunction => ({
        path,
        program: (programs[program] as Program).id,
        ...(prerender ? { prerender: prerenderOf(prerender, contentOf) } : {}),
      }),
    ),
    ...imagesOf(index),
    ...cronsOf(index),
    programs: [...new Map(programs.map((program) => [program.id, program])).values()],
  }
}

function prerenderOf(
  { fallback, ...rest }: IndexPrerender,
  contentOf: (number: number) => OutputContent,
): Prerender {
  if (fallback === undefined) return rest
  const { content, ...type } = fallback
  return { ...rest, fallback: { ...contentOf(content), ...type } }
}

function imagesOf({ images }: Index): Pick<Output, 'images'> {
  const config = readImageConfig(images)
  return config ? { images: config } : {}
}

function cronsOf({ crons }: Index): Pick<Output, 'crons'> {
  if (crons === undefined) return {}
  return {
    crons: readCrons(crons, 'config.json', (message) => {
      throw new BuildFailure('invalid_output', message)
    }),
  }
}

/** A route that could not be served fails the build, and not visitors. */
async function routesOf({ routes, images }: Index): Promise<readonly Route[] | undefined> {
  if (routes === undefined) return undefined
  const compiled = await compileOutputRoutesInTurns(routes)
  if (!compiled.ok)
    throw new BuildFailure('invalid_routes', `config.json: ${compiled.errors[0]?.message ?? 'bad routes'}`)
  return images ? withImages(compiled.table.routes) : compiled.table.routes
}
