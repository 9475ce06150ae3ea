using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Pipeline.Configuration;
using Pipeline.Etl.Records;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Hosting;

/// <summary>
/// <c>GET /settings</c>: the settings as they are in effect, each with where it comes from. Secrets are masked; scripts
/// and test cases are left out.
/// </summary>
internal static class SettingsEndpoint
{
    private const string Connections = "connections";

    /// <summary>Adds the path.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker) =>
        application.MapGet("/settings", context => AdminAnswer.WriteAsync(context, Of(worker.Configuration)));

    /// <summary>The settings of a configuration, in the order of their paths.</summary>
    internal static IReadOnlyList<SettingView> Of(PipelineConfiguration configuration)
    {
        var all = SettingsText.Of(
            configuration,
            "",
            [Connections, "helpers"],
            configuration.SecretValues,
            includesDefaults: true
        );
        foreach (var (name, connection) in configuration.Connections)
        {
            var prefix = $"{Connections}.{name}.{connection.Definition.Kind}.";
            var options = SettingsText.Of(connection.Options, prefix, [], connection.Secrets, includesDefaults: true);
            foreach (var (path, text) in options)
                all[path] = text;
        }

        return
        [
            .. all.Where(s => IsShown(s.Key))
                .Select(s => ViewOf(configuration, s.Key, configuration.SecretValues.Hide(s.Value.Shown))),
        ];
    }

    private static SettingView ViewOf(PipelineConfiguration configuration, string path, string value)
    {
        var written = configuration.TextOf(path);
        var isInFile = configuration.Root is { } root && SettingPlaces.Find(root, path, isExact: true) is not null;
        return new SettingView(
            path,
            value,
            isInFile ? "file" : "default",
            isInFile ? configuration.Locate(path)?.Line : null,
            written is not null && written.Contains("${", StringComparison.Ordinal) ? written : null
        );
    }

    private static bool IsShown(string path) =>
        !path.Contains(".tests[", StringComparison.Ordinal) && !path.EndsWith(".transform", StringComparison.Ordinal);
}

/// <summary>A setting in effect.</summary>
/// <param name="Path">Its path, such as <c>server.url</c>.</param>
/// <param name="Value">Its value; secrets are masked.</param>
/// <param name="Source"><c>file</c> or <c>default</c>.</param>
/// <param name="Line">The line in the file.</param>
/// <param name="Written">The text in the file, where variables are put into it.</param>
internal sealed record SettingView(string Path, string Value, string Source, int? Line, string? Written);
