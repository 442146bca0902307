import time

from flask import Flask, Response, make_response, render_template, request

app = Flask(__name__)


@app.get("/")
def home():
    return render_template("home.html", name=request.args.get("name", "nobody"))


@app.get("/people/<name>")
def person(name):
    return f"<p>Person {name}</p>"


@app.post("/api/sum")
def total():
    numbers = request.get_json()
    return {"sum": numbers["a"] + numbers["b"]}


@app.get("/cookie")
def cookie():
    answer = make_response(f"had a={request.cookies.get('a')}")
    answer.set_cookie("one", "1")
    answer.set_cookie("two", "2")
    return answer


@app.get("/slow")
def slow():
    def parts():
        yield "the early part\n"
        time.sleep(0.5)
        yield "the late part\n"

    return Response(parts(), mimetype="text/plain")
