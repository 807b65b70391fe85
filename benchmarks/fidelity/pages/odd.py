"""Pages with unusual markup, written for the comparison of observers."""

from __future__ import annotations

_MANY = "".join(f"<li><a href=#{n}>Item {n}</a>" for n in range(60))

ODD_PAGES: dict[str, str] = {
    "form": """<form><label for=a>Name</label><input id=a value="Ann"><input
        type=password value=secret><input type=hidden value=h><input type=radio checked>
        <input type=checkbox><input type=submit value="Send it"><textarea
        placeholder="Say"> two  words
        </textarea><button disabled>No</button></form>""",
    "lists": """<select><option>One<option selected value=2>Two<optgroup label=G>
        <option>Three</optgroup></select><select multiple><option>A<option>B</select>
        <select></select>""",
    "noscript and template": """<p>One</p><noscript><p>No <b>script</b></p></noscript>
        <template><p>Kept <a href=#>away</a></p></template><p>Two</p>""",
    "noscript in the head": """<html><head><title>T</title><noscript><img src=x>
        </noscript><meta name=x content=y></head><body><p>One</p></body></html>""",
    "comments in scripts": """<p>One</p><script>var a = "<!-- not closed";</script>
        <p>Two</p><!-- closed --><p>Three</p><script>"-->"</script><p>Four</p>""",
    "style in a script": """<p>One</p><script>var a = "<style>";</script><p>Two</p>
        <style>p { color: red }</style><p>Three</p>""",
    "named like a style": """<style-guide>One</style-guide><p>Two</p><style>p{}</style>
        <script-list>Three</script-list><p>Four</p><script>1</script>""",
    "nested by script": """<p id=p>One</p><a href=# id=a>Link</a><script>
        p.appendChild(document.createElement("div")).textContent = "in a paragraph";
        a.appendChild(document.createElement("a")).textContent = "in a link";
        </script>""",
    "tables by script": """<table id=t></table><script>
        const tr = t.appendChild(document.createElement("tr"));
        tr.appendChild(document.createElement("td")).textContent = "cell";
        t.appendChild(document.createElement("div")).textContent = "in a table";
        </script>""",
    "frames": """<iframe srcdoc="<a href=/>Inside</a>"></iframe>
        <object data=x>Fallback</object><video controls></video>""",
    "pictures": """<img src=x alt=A usemap="#m" width=40 height=40><map name=m>
        <area href=# coords=0,0,9,9></map><img src=y style="cursor: zoom-in" width=20
        height=20><svg width=30 height=30><linearGradient id=g /><g onclick="1"><circle
        r=9 cx=9 cy=9 /><text>svg &amp; text</text></g></svg>""",
    "roles and handlers": """<div role=button>A</div><div role=LINK>B</div><div
        contenteditable>C</div><div contenteditable=false>D</div>
        <div tabindex=0>E</div><div tabindex=-1>F</div><div tabindex=x>G</div>
        <div jsaction="click:a.b">H</div><div jsaction="a">I</div>
        <div jsaction="none.b">J</div>
        <div jsaction=a.b;c>K</div>
        <div class=xButtonY>L</div><span style="cursor: pointer">M <b>N</b></span>
        <details><summary>O</summary>P</details><div role=menuitem>Q</div>""",
    "covered and hidden": """<a href=#>Under</a><div style="position: fixed; left: 0;
        top: 0; width: 50px; height: 30px"></div>
        <div aria-hidden=true><a href=#>ARIA</a></div>
        <p style="display: none">None</p><p style="visibility: hidden">Hidden</p>
        <p style="opacity: 0">Clear</p>
        <div style="height: 0; overflow: hidden">Cut</div>
        <button style="width: 0; height: 0; padding: 0; border: 0">0</button>""",
    "off the screen": """<p style="position: absolute; left: -500px">Left</p><p
        style="position: absolute; top: 719px">Edge</p><p style="position: absolute;
        top: 722px">Below</p><div style="position: absolute; left: -20px; top: 100px"
        onclick=1>Half out</div>""",
    "attributes of the page": """<div data-bbox="1,2,3,4" data-text="mine" data-value=v
        data-status=s data-label=l data-testid=t title="a &lt;b&gt;
        &quot;c&quot;">x</div><br data-text=br data-label-id=77>
        <a href=# title=Same data-testid=Same>Same</a>""",
    "spaces": """<p>a&nbsp;b &nbsp; c</p><p>\u2003wide\u2003 \u3000 text</p><pre>
        two
          lines</pre><p title=" x   y
        z ">t<!-- c -->u   v<b>w</b> tail</p>""",
    "characters": """<meta charset=utf-8><p>Grüße 漢字 😀 &lt;b&gt; &amp;amp; \u200b</p>
        <p title="é&amp;">]]&gt; &#1; </p>""",
    "another charset": '<meta charset="iso-8859-1"><p>Grüße</p><p>plain</p>',
    "charset by name": """<meta http-equiv=Content-Type content="text/html;
        charset=windows-1251"><p>Привет</p>""",
    "without a charset": "<p>Grüße 漢字</p>",
    "deep": "<div>" * 200 + "<p>deep</p>",
    "long texts": f"<p title='{'t' * 700}'>{'x' * 700}</p><a href=#>{'y ' * 400}</a>",
    "many links": f"<ul>{_MANY}</ul>",
    "custom elements": """<my-card><slot-less>One</slot-less></my-card><x-a id=x></x-a>
        <script>x.attachShadow({mode: "open"}).innerHTML = "<a href=#>Shadow</a>"
        </script><xmp><b>raw</b></xmp><noembed><b>n</b></noembed>""",
    "text in the body": "One <b>two</b> three<br>four<hr>five <i>six</i>",
    "inline boxes": """<div style="width: 90px">A <a href=#>link that wraps over
        several lines</a> end</div><span onclick=1><div>block in inline</div></span>""",
    "moved by transforms": """<div style="transform: rotate(30deg) scale(.5)"
        onclick=1>Turned</div><button style="position: sticky; top: 3.4px">S</button>
        <p style="margin: 10.5px">half pixels</p>""",
    "frameset": "<html><frameset><frame src=about:blank></frameset></html>",
    "empty": "",
}
