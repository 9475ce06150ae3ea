using System.Globalization;
using Jint;
using Jint.Native;
using Jint.Native.Function;
using Jint.Native.Object;
using Jint.Runtime.Descriptors;
using Jint.Runtime.Interop;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// Holds <c>JSON.stringify</c> to the run's limits. Small values are seen whole before the call; for all others, a
/// replacer checks the run at each part.
/// </summary>
internal static class Stringify
{
    private const int MaxParts = 4096;
    private const int MaxDepth = 32;

    /// <summary>The function's name.</summary>
    public const string Name = "stringify";

    /// <summary>Prepares the arguments of a call: the value, the replacer and the space.</summary>
    public static void Check(RunLimits limits, Engine engine, JsValue[] arguments)
    {
        var left = MaxParts;
        if (IsSmall(arguments[0], engine, MaxDepth, ref left))
            return;
        var replacer = arguments[1];
        if (replacer is JsArray)
        {
            throw new ScriptRuntimeException(
                $"JSON.stringify takes a list of names for values of at most {MaxParts.ToString(CultureInfo.InvariantCulture)} parts; use a function"
            );
        }

        arguments[1] = new ClrFunction(
            engine,
            "replacer",
            (self, parts) =>
            {
                limits.Look();
                var value = replacer is Function function
                    ? engine.Call(function, self, [parts[0], parts[1]])
                    : parts[1];
                limits.Count(parts[0] is JsString name ? name.Length : 1);
                if (value is JsString text)
                    limits.Count(text.Length);
                return value;
            }
        );
    }

    /// <summary>Whether a value has few and short parts, and writing it runs no code of the script.</summary>
    private static bool IsSmall(JsValue value, Engine engine, int depth, ref int left)
    {
        if (--left < 0 || depth == 0)
            return false;
        if (value is JsString text)
            return (left -= text.Length / 16) >= 0;
        if (value is not ObjectInstance held)
            return true;
        if (held.GetOwnProperty("toJSON") != PropertyDescriptor.Undefined)
            return false;
        if (held is Function or JsDate)
            return true;
        if (held is JsArray array)
        {
            if (!ReferenceEquals(held.Prototype, engine.Intrinsics.Array.PrototypeObject) || array.Length > left)
                return false;
        }
        else if (
            held.Prototype is not null
            && !ReferenceEquals(held.Prototype, engine.Intrinsics.Object.PrototypeObject)
        )
        {
            return false;
        }

        foreach ((var key, var property) in held.GetOwnProperties())
        {
            if (property.Get is not null || property.Set is not null)
                return false;
            if (key is JsString name)
                left -= name.Length / 16;
            if (!IsSmall(property.Value, engine, depth - 1, ref left))
                return false;
        }

        return true;
    }
}
