using System.Globalization;
using Jint.Runtime;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>The clock of a run: it stands, so that the same document gives the same result.</summary>
internal sealed class RunTime() : DefaultTimeSystem(TimeZoneInfo.Utc, CultureInfo.InvariantCulture)
{
    /// <summary>What time it is.</summary>
    public DateTimeOffset Now { get; set; }

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => Now;
}
