using System.Reflection;

namespace Pipeline.Hosting.Logging;

/// <summary>The program's version.</summary>
internal static class WorkerVersion
{
    /// <summary>For example <c>0.1.0</c>.</summary>
    public static string Text { get; } =
        (
            typeof(WorkerVersion)
                .Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
                ?.InformationalVersion
            ?? "0"
        ).Split('+')[0];
}
