import json
import time

from django.http import HttpResponse, HttpResponseRedirect, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.csrf import csrf_exempt


def home(request):
    return render(request, "home.html", {"name": request.GET.get("name", "nobody")})


def person(request, name):
    return HttpResponse(f"<p>Person {name}</p>")


@csrf_exempt
def total(request):
    numbers = json.loads(request.body)
    return JsonResponse({"sum": numbers["a"] + numbers["b"]}, json_dumps_params={"separators": (",", ":")})


def form(request):
    if request.method == "POST":
        request.session["name"] = request.POST["name"]
        return HttpResponseRedirect("/form", status=303)
    return render(request, "form.html", {"name": request.session.get("name", "nobody")})


def slow(request):
    def parts():
        yield "the early part\n"
        time.sleep(0.5)
        yield "the late part\n"

    return StreamingHttpResponse(parts(), content_type="text/plain")


urlpatterns = [
    path("", home),
    path("people/<str:name>", person),
    path("api/sum", total),
    path("form", form),
    path("slow", slow),
]
