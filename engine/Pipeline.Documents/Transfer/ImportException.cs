using System.Globalization;

namespace Pipeline.Documents.Transfer;

/// <summary>Some lines are not documents, so nothing was imported.</summary>
public sealed class ImportException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="failed">The number of lines that are not documents.</param>
    /// <param name="errors">The first of them; at least one.</param>
    public ImportException(long failed, IReadOnlyList<ImportError> errors)
        : base(Message(failed, errors))
    {
        Failed = failed;
        Errors = errors;
    }

    /// <summary>The number of lines that are not documents.</summary>
    public long Failed { get; }

    /// <summary>The first of them.</summary>
    public IReadOnlyList<ImportError> Errors { get; }

    private static new string Message(long failed, IReadOnlyList<ImportError> errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var others = failed > 1 ? string.Create(CultureInfo.InvariantCulture, $" ({failed - 1} more)") : "";
        return $"{errors[0]}{others}. Nothing was imported; fix the file, or leave such lines out with on-error skip.";
    }
}
