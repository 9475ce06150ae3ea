using System.Reflection;
using Jint;
using Jint.Native;
using Jint.Native.Object;
using Jint.Runtime.Descriptors;
using Pipeline.JavaScript;
using Xunit;

namespace Pipeline.Database.Tests.JavaScript;

/// <summary>
/// One document's data was read in another's patch through prototypes of iterators, which nothing had frozen. Walks all
/// objects of an engine that a script can reach.
/// </summary>
public sealed class JavaScriptRealmTests
{
    [Fact]
    public void Nothing_that_a_run_reaches_can_be_changed()
    {
        using var script = new ScriptEngine(
            [(null, "return null;")],
            "args",
            engine => DocumentFunctions.Add(engine, () => null)
        );
        var seen = new HashSet<ObjectInstance>(ReferenceEqualityComparer.Instance);
        var waiting = new Queue<(ObjectInstance Object, string Path)>();
        var open = new List<string>();
        Add(script.Engine.Global, "globalThis");

        // Values lead to prototypes that no name reaches: those of each kind of iterator and function.
        foreach (
            var value in (string[])
                [
                    "[][Symbol.iterator]()",
                    "new Map().keys()",
                    "new Set().keys()",
                    "''[Symbol.iterator]()",
                    "'a'.matchAll(/a/g)",
                    "(function () { return arguments; })()",
                    "/a/",
                    "new Error()",
                    "() => 1",
                    "class { }",
                    "[]",
                    "({})",
                    "new Date()",
                    "Symbol()",
                    "1",
                    "''",
                    "true",
                    "/(?<x>a)/.exec('a').groups ?? {}",
                    "Object.getOwnPropertyDescriptor(function () { 'use strict'; }, 'prototype')",
                ]
        )
        {
            var made = script.Engine.Evaluate($"Object.getPrototypeOf({value})");
            if (made is ObjectInstance prototype)
                Add(prototype, value);
        }

        // What the engine keeps for its realm, whether or not a script can come to it.
        string[] unreachable = ["WrapForValidIteratorPrototype", "IteratorHelperPrototype"];
        foreach (
            var property in typeof(Jint.Runtime.Intrinsics).GetProperties(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
            )
        )
        {
            if (
                property.Name.EndsWith("IteratorPrototype", StringComparison.Ordinal)
                && property.GetIndexParameters().Length == 0
                && !property.Name.Contains("Async", StringComparison.Ordinal)
                && property.GetValue(script.Engine.Intrinsics) is ObjectInstance kept
                && !unreachable.Contains(property.Name)
            )
            {
                Add(kept, property.Name);
            }
        }

        while (waiting.TryDequeue(out var next))
        {
            if (next.Object.Extensible)
                open.Add(next.Path + " can be extended");
            if (next.Object.Prototype is { } prototype)
                Add(prototype, next.Path + ".__proto__");
            foreach ((var key, var property) in next.Object.GetOwnProperties().ToList())
            {
                var path = $"{next.Path}.{key}";
                if (property.Configurable)
                    open.Add(path + " can be redefined");
                if (property.IsDataDescriptor() && property.Writable)
                    open.Add(path + " can be set");
                foreach (
                    var part in (JsValue?[])
                        [property.IsDataDescriptor() ? property.Value : null, property.Get, property.Set]
                )
                {
                    if (part is ObjectInstance inner)
                        Add(inner, path);
                }
            }
        }

        Assert.Empty(open);
        Assert.True(seen.Count > 300, $"{seen.Count} objects are too few: the walk reaches less than before");

        void Add(ObjectInstance instance, string path)
        {
            if (seen.Add(instance))
                waiting.Enqueue((instance, path));
        }
    }

    [Theory]
    [InlineData("Object.getPrototypeOf([][Symbol.iterator]()).x = this;")]
    [InlineData("Object.getPrototypeOf(new Map()[Symbol.iterator]()).next = () => this;")]
    [InlineData("Object.getPrototypeOf('a'.matchAll(/a/g)).x = this;")]
    [InlineData("Object.getPrototypeOf(Object.getPrototypeOf(new Set().values())).x = this;")]
    [InlineData("Object.defineProperty(Object.prototype, 'x', { value: this });")]
    [InlineData("Array.x = this;")]
    [InlineData("load.x = this;")]
    public void A_run_cannot_leave_a_document_for_the_next(string script)
    {
        using var engine = new ScriptEngine([(null, script)], "args", e => DocumentFunctions.Add(e, () => null));
        Assert.ThrowsAny<Pipeline.Scripting.ScriptRuntimeException>(() =>
            engine.Run(new JsObject(engine.Engine), [JsValue.Null], Pipeline.Scripting.ScriptLimits.Default, default)
        );
    }
}
