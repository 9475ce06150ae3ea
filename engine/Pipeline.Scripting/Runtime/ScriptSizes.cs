using System.Collections;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Text;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Measures what a call into the class library is about to allocate. Compiled scripts pass sizes and texts through it.
/// </summary>
/// <remarks>
/// A size is counted against <see cref="ScriptLimits.MaxAllocatedBytes"/> before the memory is taken. Small sizes cost
/// one comparison.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptSizes
{
    private const int Small = 4096;
    private const int MaxPrecision = 1000;
    private const int ItemSize = 16;

    /// <summary>Returns the count after claiming room for that many elements of the size in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Room(int count, int size)
    {
        Room((long)count, size);
        return count;
    }

    /// <summary>Returns the count after claiming room for that many elements of the size in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Room(long count, int size)
    {
        ScriptGuard.Step();
        if (count > Small / size)
            ScriptGuard.Claim(count > long.MaxValue / size ? long.MaxValue / 2 : count * size);
        return count;
    }

    /// <summary>Returns the text after claiming room for a copy of it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static string? Text(string? text)
    {
        ScriptGuard.Step();
        if (text is { Length: > Small })
            ScriptGuard.Claim(2L * text.Length);
        return text;
    }

    /// <summary>Returns the value after claiming room for a copy of it.</summary>
    public static T Copy<T>(T value)
    {
        ScriptGuard.Step();
        if (!typeof(T).IsValueType)
            Claim(value);
        return value;
    }

    /// <summary>
    /// The elements, each counted as a step; a collection is measured at once and returned unchanged.
    /// </summary>
    public static IEnumerable<T> Items<T>(IEnumerable<T> items)
    {
        Copy(items);
        return items is ICollection<T> or null ? items! : ScriptSequence.Counted(items);
    }

    /// <summary>Returns a format of one value.</summary>
    /// <exception cref="InvalidOperationException">The format asks for more than 1000 digits.</exception>
    public static string? Format(string? format)
    {
        ScriptGuard.Step();
        CheckPrecision(format);
        return format;
    }

    internal static void Claim(object? value)
    {
        var bytes = value switch
        {
            string text => 2L * text.Length,
            ScriptValue { Kind: ScriptValueKind.Text } text => 2L * text.Text.Length,
            StringBuilder text => 2L * text.Length,
            char[] text => 2L * text.Length,
            ICollection items => (long)ItemSize * items.Count,
            _ => 0,
        };
        if (bytes > Small)
            ScriptGuard.Claim(bytes);
    }

    internal static void CheckPrecision(ReadOnlySpan<char> format)
    {
        if (format.Length < 5 || !char.IsAsciiLetter(format[0]) || format[1..].ContainsAnyExceptInRange('0', '9'))
            return;
        if (
            !int.TryParse(
                format[1..],
                System.Globalization.NumberStyles.None,
                System.Globalization.CultureInfo.InvariantCulture,
                out var digits
            )
            || digits > MaxPrecision
        )
        {
            throw new InvalidOperationException(
                $"The format '{(format.Length > 20 ? format[..20] : format)}' asks for more than {MaxPrecision} digits; ask for fewer."
            );
        }
    }
}
