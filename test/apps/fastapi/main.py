import asyncio
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import BaseModel


@asynccontextmanager
async def lifespan(app):
    yield {"began": "before the first request"}
    print("the application was shut down")


app = FastAPI(lifespan=lifespan)


class Numbers(BaseModel):
    a: int
    b: int


@app.get("/", response_class=HTMLResponse)
async def home(name: str = "nobody"):
    return f"<p>FastAPI greets {name}</p>"


@app.get("/people/{name}", response_class=HTMLResponse)
def person(name: str):
    return f"<p>Person {name}</p>"


@app.post("/api/sum")
async def total(numbers: Numbers):
    return {"sum": numbers.a + numbers.b}


@app.get("/began")
async def began(request: Request):
    return {"began": request.state.began}


@app.get("/slow")
async def slow():
    async def parts():
        yield "the early part\n"
        await asyncio.sleep(0.5)
        yield "the late part\n"

    return StreamingResponse(parts(), media_type="text/plain")


@app.websocket("/socket")
async def socket(peer: WebSocket):
    await peer.accept()
    async for words in peer.iter_text():
        await peer.send_text(words)
