using System.Globalization;
using Jint.Runtime;

namespace Pipeline.JavaScript;

/// <summary>The clock of a run: it stands still, so that the same document gives the same result.</summary>
internal sealed class RunTime() : DefaultTimeSystem(TimeZoneInfo.Utc, CultureInfo.InvariantCulture)
{
    /// <summary>The time.</summary>
    public DateTimeOffset Now { get; set; }

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => Now;
}
