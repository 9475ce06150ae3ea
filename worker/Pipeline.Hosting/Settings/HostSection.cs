using Microsoft.Extensions.Configuration;

namespace Pipeline.Hosting;

/// <summary>The section of the host's configuration that holds the options.</summary>
internal static class HostSection
{
    /// <summary>The section of the worker without a key.</summary>
    public const string Name = "Pipeline";

    /// <summary>The section within it that gives <c>${NAME}</c> of the file its value.</summary>
    public const string Variables = "Variables";

    /// <summary>The options of a worker.</summary>
    public static readonly string[] OfWorkers =
    [
        nameof(PipelineHostOptions.ConfigurationFile),
        nameof(PipelineHostOptions.DataFolder),
        nameof(PipelineHostOptions.InMemory),
        nameof(PipelineHostOptions.Listens),
        Variables,
    ];

    /// <summary>The section of a worker or database.</summary>
    public static string Of(string? key) => key is null ? Name : $"{Name}:{key}";

    /// <summary>
    /// The section, which has only known options. The section without a key may also have the sections of workers and
    /// databases with keys.
    /// </summary>
    /// <exception cref="InvalidOperationException">It has an unknown one.</exception>
    public static IConfigurationSection Checked(IConfiguration configuration, string? key, IReadOnlyList<string> known)
    {
        var section = configuration.GetSection(Of(key));
        return
            section
                .GetChildren()
                .FirstOrDefault(c =>
                    !known.Contains(c.Key, StringComparer.OrdinalIgnoreCase) && (key is not null || c.Value is not null)
                )
                is { } unknown
            ? throw new InvalidOperationException(
                $"{unknown.Path} of the host's configuration is not an option; options are: {string.Join(", ", known)}"
            )
            : section;
    }

    /// <summary>Returns a key that can name a section.</summary>
    /// <exception cref="ArgumentException">It cannot.</exception>
    public static string CheckKey(string key)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        if (key.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException(
                $"'{key}' is not a valid key: it contains a colon, which separates the parts of a configuration key",
                nameof(key)
            );
        }

        if (OfWorkers.Contains(key, StringComparer.OrdinalIgnoreCase))
        {
            throw new ArgumentException(
                $"'{key}' is not a valid key: {Name}:{key} is an option of the worker without a key; choose another one",
                nameof(key)
            );
        }

        return key;
    }
}
