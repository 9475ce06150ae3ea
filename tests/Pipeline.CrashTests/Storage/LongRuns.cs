using Pipeline.TestKit;

namespace Pipeline.CrashTests.Storage;

/// <summary>PIPELINE_FUZZ_MINUTES sets how long the fuzz tests run; PIPELINE_SEED sets their first seed.</summary>
internal static class LongRuns
{
    public static int FirstSeed => RunSetting.Read("PIPELINE_SEED", 1);

    public static bool AreOn => Environment.GetEnvironmentVariable("PIPELINE_FUZZ_MINUTES") is not null;

    public static TimeSpan Duration(TimeSpan otherwise) =>
        TimeSpan.FromMinutes(RunSetting.Read("PIPELINE_FUZZ_MINUTES", otherwise.TotalMinutes));
}
