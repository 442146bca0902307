def app(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [('WSGI ' + environ['QUERY_STRING']).encode()]
