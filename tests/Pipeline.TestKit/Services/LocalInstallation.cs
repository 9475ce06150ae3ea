namespace Pipeline.TestKit.Services;

/// <summary>Finds programs and files of this machine.</summary>
public static class LocalInstallation
{
    /// <summary>
    /// Where <c>.ci/install-services</c> puts npm packages and libraries: <c>PIPELINE_CACHE</c>, or <c>pipeline</c> in
    /// the user's cache folder.
    /// </summary>
    public static string Cache
    {
        get
        {
            if (Environment.GetEnvironmentVariable("PIPELINE_CACHE") is { Length: > 0 } cache)
                return cache;
            var user = Environment.GetEnvironmentVariable("XDG_CACHE_HOME") is { Length: > 0 } home
                ? home
                : Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".cache");
            return Path.Combine(user, "pipeline");
        }
    }

    /// <summary>The program of that name in <c>PATH</c> or one of the folders, or null.</summary>
    public static string? FindProgram(string name, params string[] folders) =>
        folders
            .Concat((Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator))
            .Select(f => Path.Combine(f, name))
            .FirstOrDefault(File.Exists);
}
