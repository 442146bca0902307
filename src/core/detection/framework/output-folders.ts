import { readFolder, type SourceTree } from '../source-tree.ts'
import { angularFolders } from './angular.ts'
import { type Framework, HUGO_FILES } from './frameworks.ts'

/** Where builds commonly leave what is to be served. */
export const COMMON_FOLDERS = [
  'public',
  'dist',
  'build',
  'out',
  '_site',
  '.output/public',
  'www',
  'site',
  'export',
  'dist/public',
  'dist/client',
  'build/client',
] as const

/** Where else than their default setting some frameworks write. Before it: */
const MORE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  scully: ['dist/static'],
  solidstart: ['.output/public', 'dist/public'],
  'solidstart-1': ['.output/public', 'dist/public'],
  nuxtjs: ['.output/public', 'dist'],
  nitro: ['.output/public', 'dist/public'],
  sveltekit: ['build'],
  'sveltekit-1': ['build'],
  polymer: ['build/default', 'build/es6-bundled', 'build/esm-bundled', 'build/es5-bundled', 'build'],
  vitepress: ['docs/.vitepress/dist', '.vitepress/dist'],
  vuepress: ['src/.vuepress/dist', 'docs/.vuepress/dist', '.vuepress/dist'],
  'tanstack-start': ['.output/public', 'dist/client', 'dist'],
  hydrogen: ['dist/client', 'dist'],
}

/**
 * The folders, best first, in which the result of a build may be. The framework's data can say it only by looking at
 * the built files, which this process must not; so it is read from the framework's configuration.
 */
export async function outputFolders(
  framework: Framework | undefined,
  tree: SourceTree,
  hasFunctions = false,
): Promise<readonly string[]> {
  if (framework?.slug === undefined || framework.slug === null) {
    // What is built beside functions is likely code for them, and not what the public is to see.
    if (hasFunctions && tree.hasFolder('public')) return COMMON_FOLDERS
    return unusedFirst(COMMON_FOLDERS, tree)
  }
  const setting = framework.settings.outputDirectory
  const usual = 'value' in setting && setting.value && setting.value !== 'N/A' ? [setting.value] : []
  const found = [
    ...(await configured(framework.slug, tree)),
    ...(MORE_FOLDERS[framework.slug] ?? []),
    ...usual,
    ...COMMON_FOLDERS.filter((folder) => folder !== 'public'),
  ]
  return [...new Set(found)]
}

/** A folder that came with the upload is likely source; one that only the build has made is likely its result. */
const unusedFirst = (folders: readonly string[], tree: SourceTree): readonly string[] => [
  ...folders.filter((folder) => !tree.hasFolder(folder)),
  ...folders.filter((folder) => tree.hasFolder(folder)),
]

async function configured(slug: string, tree: SourceTree): Promise<readonly string[]> {
  switch (slug) {
    case 'angular':
    case 'scully':
    case 'ionic-angular':
      return angularFolders(await tree.text('angular.json'))
    case 'docusaurus':
    case 'docusaurus-2': {
      const text = (await tree.text('siteConfig.js')) ?? (await tree.text('website/siteConfig.js')) ?? ''
      const name = /projectName\s*:\s*['"]([\w.-]+)['"]/.exec(text)?.[1]
      return name === undefined ? ['build'] : [`build/${name}`, 'build']
    }
    case 'hugo':
      return folderIn(tree, HUGO_FILES, 'publishDir', 'public')
    case 'jekyll':
      return folderIn(tree, ['_config.yml', '_config.toml'], 'destination', '_site')
    case 'zola':
      return folderIn(tree, ['zola.toml', 'config.toml'], 'output_dir', 'public')
    default:
      return []
  }
}

/** One key of JSON, YAML or TOML at the top level; these files are small and the key is plain text. */
async function folderIn(
  tree: SourceTree,
  files: readonly string[],
  key: string,
  usual: string,
): Promise<readonly string[]> {
  for (const file of files) {
    const text = await tree.text(file)
    const value =
      text &&
      new RegExp(`^[ \\t{]*["']?${key}["']?[ \\t]*[:=][ \\t]*["']?([^"'\\n\\r#,]+)`, 'm').exec(text)?.[1]
    const folder = value ? readFolder(value.trim()) : undefined
    if (folder) return [folder, usual]
  }
  return [usual]
}
