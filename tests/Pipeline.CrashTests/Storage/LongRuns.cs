using System.Globalization;

namespace Pipeline.CrashTests.Storage;

/// <summary>PIPELINE_FUZZ_MINUTES sets how long the fuzz tests run; PIPELINE_SEED sets their first seed.</summary>
internal static class LongRuns
{
    public static int FirstSeed =>
        int.TryParse(Environment.GetEnvironmentVariable("PIPELINE_SEED"), CultureInfo.InvariantCulture, out var seed)
            ? seed
            : 1;

    public static bool AreOn => Environment.GetEnvironmentVariable("PIPELINE_FUZZ_MINUTES") is not null;

    public static TimeSpan Duration(TimeSpan otherwise) =>
        double.TryParse(
            Environment.GetEnvironmentVariable("PIPELINE_FUZZ_MINUTES"),
            CultureInfo.InvariantCulture,
            out var minutes
        )
            ? TimeSpan.FromMinutes(minutes)
            : otherwise;
}
