/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

static VkDescriptorType
descriptor_type (enum gabbro_binding_kind kind)
{
  switch (kind)
    {
    case GABBRO_BINDING_SAMPLED_IMAGE:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case GABBRO_BINDING_STORAGE_IMAGE:
      return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    default:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

static VkResult
create_set_layout (struct vulkan_device *device, struct vulkan_shader *shader)
{
  VkDescriptorSetLayoutBinding *bindings = g_new0 (VkDescriptorSetLayoutBinding, shader->n_bindings);
  const VkDescriptorSetLayoutCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = shader->n_bindings,
                                                 .pBindings = bindings };
  VkResult result;

  for (uint32_t i = 0; i < shader->n_bindings; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding) { .binding = i,
                                                   .descriptorType = descriptor_type (shader->bindings[i]),
                                                   .descriptorCount = 1,
                                                   .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT };
  result = device->vk.CreateDescriptorSetLayout (device->device, &info, NULL, &shader->set_layout);
  g_free (bindings);
  return result;
}

static VkResult
create_update_template (struct vulkan_device *device, struct vulkan_shader *shader)
{
  VkDescriptorUpdateTemplateEntry *entries = g_new0 (VkDescriptorUpdateTemplateEntry, shader->n_bindings);
  const VkDescriptorUpdateTemplateCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                      .descriptorUpdateEntryCount = shader->n_bindings,
                                                      .pDescriptorUpdateEntries = entries,
                                                      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                                                      .descriptorSetLayout = shader->set_layout };
  VkResult result;

  for (uint32_t i = 0; i < shader->n_bindings; i++)
    entries[i] = (VkDescriptorUpdateTemplateEntry) { .dstBinding = i,
                                                     .descriptorCount = 1,
                                                     .descriptorType = descriptor_type (shader->bindings[i]),
                                                     .offset = i * sizeof (union vulkan_descriptor_data),
                                                     .stride = sizeof (union vulkan_descriptor_data) };
  result = device->vk.CreateDescriptorUpdateTemplate (device->device, &info, NULL, &shader->update);
  g_free (entries);
  return result;
}

static struct vulkan_set_store *
create_sets (struct vulkan_device *device, const struct vulkan_shader *shader)
{
  uint32_t counts[GABBRO_BINDING_STORAGE_IMAGE + 1] = { 0 };
  VkDescriptorPoolSize sizes[G_N_ELEMENTS (counts)];
  uint32_t n_sizes = 0;

  for (uint32_t i = 0; i < shader->n_bindings; i++)
    counts[shader->bindings[i]]++;
  for (unsigned kind = 0; kind < G_N_ELEMENTS (counts); kind++)
    if (counts[kind] != 0)
      sizes[n_sizes++]
        = (VkDescriptorPoolSize) { descriptor_type ((enum gabbro_binding_kind) kind), counts[kind] };
  return vulkan_set_store_new (&device->vk, device->device, shader->set_layout, sizes, n_sizes);
}

static VkResult
create_layouts (struct vulkan_device *device, struct vulkan_shader *shader)
{
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, shader->push_constant_size };
  VkPipelineLayoutCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .pushConstantRangeCount = range.size != 0 ? 1 : 0,
                                      .pPushConstantRanges = &range };
  VkResult result;

  if (shader->n_bindings != 0)
    {
      result = create_set_layout (device, shader);
      if (result == VK_SUCCESS)
        result = create_update_template (device, shader);
      if (result != VK_SUCCESS)
        return result;
      shader->sets = create_sets (device, shader);
      info.setLayoutCount = 1;
      info.pSetLayouts = &shader->set_layout;
    }
  return device->vk.CreatePipelineLayout (device->device, &info, NULL, &shader->layout);
}

static VkResult
create_pipeline (struct vulkan_device *device, struct vulkan_shader *shader, const struct gabbro_artifact *artifact)
{
  const VkShaderModuleCreateInfo module_info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                 .codeSize = artifact->n_words * sizeof artifact->words[0],
                                                 .pCode = artifact->words };
  VkComputePipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                       .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = artifact->entry_point },
                                       .layout = shader->layout };
  VkResult result = device->vk.CreateShaderModule (device->device, &module_info, NULL, &info.stage.module);

  if (result != VK_SUCCESS)
    return result;
  result = vulkan_pipelines_create (device, &info, &shader->pipeline);
  device->vk.DestroyShaderModule (device->device, info.stage.module, NULL);
  return result;
}

static void
shader_free (struct vulkan_device *device, struct vulkan_shader *shader)
{
  if (shader->sets != NULL)
    vulkan_set_store_close (shader->sets);
  device->vk.DestroyPipeline (device->device, shader->pipeline, NULL);
  device->vk.DestroyPipelineLayout (device->device, shader->layout, NULL);
  device->vk.DestroyDescriptorUpdateTemplate (device->device, shader->update, NULL);
  device->vk.DestroyDescriptorSetLayout (device->device, shader->set_layout, NULL);
  g_free (shader->bindings);
  g_free (shader);
}

bool
vulkan_shader_create (struct gabbro_driver_device *base, const struct gabbro_artifact *artifact, uint64_t *out,
                      GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_shader *shader = g_new0 (struct vulkan_shader, 1);
  VkResult result;

  shader->n_bindings = artifact->n_bindings;
  shader->bindings = g_memdup2 (artifact->bindings, artifact->n_bindings * sizeof artifact->bindings[0]);
  shader->push_constant_size = artifact->push_constant_size;
  result = create_layouts (device, shader);
  if (result == VK_SUCCESS)
    result = create_pipeline (device, shader, artifact);
  if (result != VK_SUCCESS)
    {
      shader_free (device, shader);
      vulkan_device_check (device, result, "vkCreateComputePipelines");
      /* What a driver answers for code that it does not understand. */
      if (result == VK_ERROR_UNKNOWN || result == VK_ERROR_INITIALIZATION_FAILED)
        g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_BAD_ARTIFACT,
                     "kernel “%s”: the driver refuses its code: %s (%d)", artifact->name, vulkan_result_name (result),
                     (int) result);
      else
        vulkan_set_error (error, result, "kernel “%s”: no pipeline", artifact->name);
      vulkan_log_flush (device->log);
      return false;
    }
  vulkan_device_name (device, VK_OBJECT_TYPE_PIPELINE, (uint64_t) shader->pipeline, artifact->name);
  *out = vulkan_handle (shader);
  vulkan_log_flush (device->log);
  return true;
}

void
vulkan_shader_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct vulkan_device *device = (struct vulkan_device *) base;

  shader_free (device, vulkan_pointer (handle));
  vulkan_log_flush (device->log);
}
