using System.ComponentModel;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // The compiler calls these for an interpolated text.

/// <summary>Builds an interpolated text as .NET does, with widths, precisions and texts measured first.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[InterpolatedStringHandler]
public ref struct CheckedTextHandler
{
    private DefaultInterpolatedStringHandler _text;

    public CheckedTextHandler(int literalLength, int formattedCount) => _text = new(literalLength, formattedCount);

    internal CheckedTextHandler(int literalLength, int formattedCount, IFormatProvider provider) =>
        _text = new(literalLength, formattedCount, provider);

    public void AppendLiteral(string value) => _text.AppendLiteral(value);

    public void AppendFormatted(string? value) => _text.AppendFormatted(ScriptSizes.Text(value));

    public void AppendFormatted(string? value, int alignment = 0, string? format = null)
    {
        CheckedText.CheckWidth(alignment);
        _text.AppendFormatted(ScriptSizes.Text(value), alignment, format);
    }

    public void AppendFormatted<T>(T value) => _text.AppendFormatted(ScriptSizes.Copy(value));

    public void AppendFormatted<T>(T value, string? format) =>
        _text.AppendFormatted(ScriptSizes.Copy(value), ScriptSizes.Format(format));

    public void AppendFormatted<T>(T value, int alignment) => AppendFormatted(value, alignment, null);

    public void AppendFormatted<T>(T value, int alignment, string? format)
    {
        CheckedText.CheckWidth(alignment);
        _text.AppendFormatted(ScriptSizes.Copy(value), alignment, ScriptSizes.Format(format));
    }

    public void AppendFormatted(scoped ReadOnlySpan<char> value) => _text.AppendFormatted(value);

    public void AppendFormatted(scoped ReadOnlySpan<char> value, int alignment = 0, string? format = null)
    {
        CheckedText.CheckWidth(alignment);
        _text.AppendFormatted(value, alignment, format);
    }

    internal string Finish() => _text.ToStringAndClear();
}

/// <summary>As <see cref="CheckedTextHandler"/>, in the invariant culture.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[InterpolatedStringHandler]
public ref struct InvariantTextHandler
{
    private CheckedTextHandler _text;

    public InvariantTextHandler(int literalLength, int formattedCount) =>
        _text = new(literalLength, formattedCount, CultureInfo.InvariantCulture);

    public void AppendLiteral(string value) => _text.AppendLiteral(value);

    public void AppendFormatted<T>(T value) => _text.AppendFormatted(value);

    public void AppendFormatted<T>(T value, string? format) => _text.AppendFormatted(value, format);

    public void AppendFormatted<T>(T value, int alignment) => _text.AppendFormatted(value, alignment, null);

    public void AppendFormatted<T>(T value, int alignment, string? format) =>
        _text.AppendFormatted(value, alignment, format);

    internal string Finish() => _text.Finish();
}
