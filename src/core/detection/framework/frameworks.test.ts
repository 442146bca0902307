import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPackageJson } from '../config/package-json.ts'
import { type Files, treeOf } from '../plan-testing.ts'
import { detectFramework, type Framework, frameworkOf, isDetected, mayUseFramework } from './frameworks.ts'
import { outputFolders } from './output-folders.ts'

const uses = (...names: readonly string[]): Files => ({
  'package.json': { dependencies: Object.fromEntries(names.map((name) => [name, '^1.0.0'])) },
})

/** Every framework that a project can name, the files it is known by, and where its build leaves what is served. */
const KNOWN: Readonly<Record<string, readonly [Files, string?]>> = {
  blitzjs: [{ ...uses('blitz', 'next'), 'blitz.config.ts': '' }],
  nextjs: [uses('next', 'react')],
  gatsby: [uses('gatsby'), 'public'],
  remix: [uses('@remix-run/dev', 'vite')],
  astro: [uses('astro'), 'dist'],
  hexo: [uses('hexo'), 'public'],
  eleventy: [uses('@11ty/eleventy'), '_site'],
  'docusaurus-2': [uses('@docusaurus/core'), 'build'],
  docusaurus: [{ ...uses('docusaurus'), 'siteConfig.js': "const c = { projectName: 'docs' }" }, 'build/docs'],
  preact: [uses('preact-cli'), 'build'],
  'solidstart-1': [uses('solid-js', '@solidjs/start'), '.output/public'],
  solidstart: [uses('solid-js', 'solid-start'), '.output/public'],
  dojo: [uses('@dojo/framework'), 'output/dist'],
  ember: [uses('ember-cli'), 'dist'],
  vue: [uses('@vue/cli-service'), 'dist'],
  scully: [uses('@scullyio/init', '@angular/cli')],
  'ionic-angular': [uses('@ionic/angular', '@angular/cli')],
  angular: [
    {
      ...uses('@angular/cli'),
      'angular.json': {
        projects: { shop: { architect: { build: { options: { outputPath: 'dist/shop' } } } } },
      },
    },
    'dist/shop/browser',
  ],
  polymer: [uses('polymer-cli'), 'build/default'],
  svelte: [uses('svelte', 'sirv-cli'), 'public'],
  sveltekit: [{ 'package.json': { devDependencies: { '@sveltejs/kit': '1.0.0-next.401', vite: '3' } } }],
  'sveltekit-1': [{ 'package.json': { devDependencies: { '@sveltejs/kit': '^2.5.0', vite: '5' } } }, 'build'],
  'ionic-react': [uses('@ionic/react', 'react-scripts'), 'build'],
  'create-react-app': [uses('react-scripts'), 'build'],
  gridsome: [uses('gridsome'), 'dist'],
  umijs: [uses('umi'), 'dist'],
  sapper: [uses('sapper'), '__sapper__/export'],
  saber: [uses('saber'), 'public'],
  stencil: [uses('@stencil/core'), 'www'],
  nuxtjs: [uses('nuxt')],
  redwoodjs: [uses('@redwoodjs/core')],
  hugo: [{ 'config.toml': 'baseURL = "https://example.test"\npublishDir = "site" # there' }, 'site'],
  jekyll: [{ '_config.yml': 'title: x\ndestination: ./web\n' }, 'web'],
  brunch: [uses('brunch'), 'public'],
  middleman: [{ 'config.rb': '' }, 'build'],
  zola: [{ 'config.toml': 'base_url = "https://example.test"' }, 'public'],
  hydrogen: [{ ...uses('@shopify/hydrogen', 'vite'), 'hydrogen.config.js': '' }],
  vite: [uses('vite'), 'dist'],
  vitepress: [uses('vitepress'), 'docs/.vitepress/dist'],
  vuepress: [uses('vuepress'), 'src/.vuepress/dist'],
  parcel: [uses('parcel'), 'dist'],
  sanity: [{ ...uses('sanity'), 'sanity.config.ts': '' }, 'dist'],
  storybook: [uses('storybook'), 'storybook-static'],
}

test('all frameworks that projects can name are here', () => {
  assert.equal(Object.keys(KNOWN).length, 43)
})

for (const [slug, [files, folder]] of Object.entries(KNOWN))
  test(`${slug} is known and found`, async () => {
    const tree = treeOf(files)
    const found = await detectFramework(tree, await readPackageJson(tree))
    assert.equal(found?.slug, slug)
    assert.equal((await frameworkOf(slug)).slug, slug)
    if (folder !== undefined) assert.equal((await outputFolders(found, tree))[0], folder)
  })

test('a framework is known by each of the files that it reads, and by what they say', async () => {
  for (const [files, slug, folder] of [
    [{ 'hugo.toml': "publishDir = 'site'" }, 'hugo', 'site'],
    [{ 'hugo.yaml': 'title: x' }, 'hugo', 'public'],
    [{ 'hugo.json': { publishDir: 'out' } }, 'hugo', 'out'],
    [{ 'config/_default/hugo.toml': "publishDir = 'site'" }, 'hugo', 'site'],
    [{ 'config/_default/config.yml': 'title: x' }, 'hugo', 'public'],
    [{ 'config.yml': 'baseURL: https://example.test' }, 'hugo', 'public'],
    [{ '_config.toml': 'destination = "web"' }, 'jekyll', 'web'],
    [{ 'zola.toml': 'base_url = "https://example.test"\noutput_dir = "web"' }, 'zola', 'web'],
    [
      { ...uses('vite', '@react-router/dev'), 'vite.config.mts': "import '@react-router/dev/vite'" },
      'react-router',
    ],
  ] as const) {
    const tree = treeOf(files)
    const found = await detectFramework(tree, await readPackageJson(tree))
    assert.equal(found?.slug, slug)
    if (folder !== undefined) assert.equal((await outputFolders(found, tree))[0], folder)
  }
})

test('of a framework and the one it is built on, the former is found', async () => {
  for (const [files, slug] of [
    [uses('vite', '@sveltejs/kit'), 'sveltekit-1'],
    [{ ...uses('vite', '@react-router/dev'), 'react-router.config.ts': '' }, 'react-router'],
    [uses('vite', '@ionic/react'), 'vite'],
    [{ ...uses('express'), 'server.js': "const express = require('express')" }, 'express'],
    [{ ...uses('hono'), 'src/index.ts': "import { Hono } from 'hono'" }, 'hono'],
    [{ 'requirements.txt': 'Flask==3.0', 'app.py': '' }, 'flask'],
  ] as const) {
    const tree = treeOf(files)
    assert.equal((await detectFramework(tree, await readPackageJson(tree)))?.slug, slug)
  }
})

test('nothing is found where there is none', async () => {
  for (const files of [uses('lodash'), { 'index.html': '' }, { 'config.toml': 'title = 1' }, uses()]) {
    const tree = treeOf(files)
    assert.equal(await detectFramework(tree, await readPackageJson(tree)), undefined)
  }
})

test('a package.json that opens many lists does not take long', async () => {
  const tree = treeOf({ 'package.json': { description: '"dependencies": {'.repeat(40_000) } })
  assert.equal(await detectFramework(tree, await readPackageJson(tree)), undefined)
})

test('an unknown framework is told', async () => {
  await assert.rejects(frameworkOf('frontpage'), { code: 'invalid_config', message: /frontpage/ })
})

test('folders of output that a configuration puts outside are not looked for', async () => {
  const tree = treeOf({ '_config.yml': 'destination: ../../etc' })
  const found = await detectFramework(tree, undefined)
  assert.equal((await outputFolders(found, tree))[0], '_site')
})

test('every file by which a framework is known without a package.json is asked for', async () => {
  const { frameworks } = (await import('@vercel/frameworks')) as unknown as {
    frameworks: readonly Framework[]
  }
  const isPackage = (item: { readonly path?: string; readonly matchPackage?: string }) =>
    item.matchPackage !== undefined || item.path === 'package.json'
  const paths = frameworks.filter(isDetected).flatMap(({ detectors }) => {
    const { every = [], some = [] } = detectors ?? {}
    return every.some(isPackage) ? [] : [...every, ...some].filter((item) => !isPackage(item))
  })
  assert.ok(paths.length > 10)
  const unasked = paths.flatMap(({ path }) =>
    path && !mayUseFramework(treeOf({ [path]: '' })) ? [path] : [],
  )
  assert.deepEqual(unasked, [])
})
