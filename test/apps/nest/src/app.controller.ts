import { Readable } from 'node:stream'
import { Body, Controller, Get, Header, Param, Post, Query, StreamableFile } from '@nestjs/common'
import { AppService } from './app.service'

@Controller()
export class AppController {
  constructor(private readonly service: AppService) {}

  @Get()
  greet(@Query('name') name: string): string {
    return this.service.greet(name)
  }

  @Get('people/:name')
  person(@Param('name') name: string): string {
    return `Person ${name}`
  }

  @Post('api/sum')
  sum(@Body() { a, b }: { a: number; b: number }): { sum: number } {
    return { sum: a + b }
  }

  @Get('file')
  @Header('content-type', 'text/plain')
  file(): StreamableFile {
    return new StreamableFile(Readable.from(['streamed ', 'by Nest']))
  }
}
