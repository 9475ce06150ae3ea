namespace Pipeline.Hosting;

/// <summary>Default settings.</summary>
internal static class WorkerDefaults
{
    /// <summary>The configuration file that commands look for in the current folder.</summary>
    public const string ConfigurationFile = RunnerOptions.DefaultConfigurationFile;

    /// <summary>The worker's address.</summary>
    public const string ServerUrl = "http://127.0.0.1:8080";
}
